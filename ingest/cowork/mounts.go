package cowork

import (
	"path"
	"slices"
	"strings"

	"recall/ingest"
	"recall/internal/text"
)

// Mounts maps the folders of a session's virtual machine to the host. Below /sessions/<process>/mnt are the session's
// own folders and, by their last names, those that the person gave; everything else is lost with the machine.
type Mounts struct {
	processes []string
	storage   string // the session's storage folder on the host, "" if unknown
	named     []mount
	stated    []mount // stated by the app itself, which takes precedence
}

// A mount is a folder's path in the machine and on the host; host is "" if two folders have the same name.
type mount struct{ vm, host string }

// NewMounts returns the mounts of a session whose machine has one of the given names, from its storage folder and the
// host folders given to it.
func NewMounts(processes []string, storage string, folders []string) Mounts {
	m := Mounts{processes: processes, storage: storage}
	for _, host := range folders {
		if name := ingest.LastName(host); name != "" {
			m.named = append(m.named, mount{name, host})
		}
	}
	for i := range m.named {
		n := &m.named[i]
		if slices.ContainsFunc(m.named, func(o mount) bool { return o.vm == n.vm && o.host != n.host }) {
			n.host = ""
		}
	}
	return m
}

// Host maps a path in the machine to the host; false if it isn't on the host or is unknown.
func (m Mounts) Host(vm string) (string, bool) {
	if !strings.HasPrefix(vm, "/sessions/") {
		return "", false
	}
	vm = path.Clean(vm)
	for _, s := range m.stated {
		if rest, ok := below(vm, s.vm); ok {
			return joinHost(s.host, rest), true
		}
	}
	for _, p := range m.processes {
		if rest, ok := below(vm, "/sessions/"+p+"/mnt"); ok && p != "" {
			return m.mounted(rest)
		}
	}
	return "", false
}

// mounted maps a path relative to mnt.
func (m Mounts) mounted(rel string) (string, bool) {
	name, rest, _ := strings.Cut(rel, "/")
	switch name {
	case "":
		return "", false
	case "outputs", "uploads":
		return m.stored(rel)
	case ".claude":
		if dir, _, _ := strings.Cut(rest, "/"); dir == "projects" || dir == "skills" {
			return m.stored(rel)
		}
		return "", false
	}
	for _, f := range m.named {
		if f.vm == name && f.host != "" {
			return joinHost(f.host, rest), true
		}
	}
	return "", false
}

func (m Mounts) stored(rel string) (string, bool) {
	if m.storage == "" {
		return "", false
	}
	return joinHost(m.storage, rel), true
}

// below returns the rest of p under dir.
func below(p, dir string) (string, bool) {
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, dir+"/")
}

// joinHost appends a slash path to a host folder in the host's own spelling.
func joinHost(host, rel string) string {
	windows := strings.Contains(host, `\`) || len(host) > 1 && host[1] == ':'
	if host = strings.TrimRight(host, `/\`); host == "" {
		host = "/"
	}
	switch {
	case rel == "":
		return host
	case windows:
		return host + `\` + strings.ReplaceAll(rel, "/", `\`)
	}
	return strings.TrimRight(host, "/") + "/" + rel
}

// grant matches the app's answer when it connects another folder: "Host path: … → VM path: …".
var grant = text.Pattern("Host path:\\s*(\\S[^\\n]*?)\\s*(?:→|->)\\s*VM path:\\s*([`\"']?/sessions/[^\\n]+)")

// Grants adds the folders stated in a result of request_cowork_directory, and returns their host paths.
func (m *Mounts) Grants(result string) []string {
	var hosts []string
	for _, g := range grant().FindAllStringSubmatch(result, -1) {
		host := strings.Trim(g[1], "`\"'")
		m.stated = append(m.stated, mount{path.Clean(statedVM(g[2], ingest.LastName(host))), host})
		hosts = append(hosts, host)
	}
	return hosts
}

// statedVM returns the folder at the beginning of s. The line can go on after it; folder names can contain spaces, but
// are usually the host's name.
func statedVM(s, name string) string {
	s = strings.Trim(strings.TrimSpace(s), "`\"'")
	if at := strings.Index(s, "/mnt/"); at >= 0 && strings.HasPrefix(s[at+len("/mnt/"):], name) {
		return s[:at+len("/mnt/")+len(name)]
	}
	for _, end := range []string{"`", "\"", " (", ". ", ", "} {
		s, _, _ = strings.Cut(s, end)
	}
	return strings.TrimRight(s, ".")
}
