package cowork

import (
	"path"
	"strings"

	"recall/ingest"
	"recall/text"
)

// Mounts tells where the folders of a session's virtual machine are on the host. Below /sessions/<process>/mnt lie its
// own folders and, by their last names, those that the person gave; all else is lost with the machine.
type Mounts struct {
	processes []string
	storage   string // the session's storage folder on the host, "" if unknown
	named     []mount
	stated    []mount // stated by the app itself, which has the last word
}

// A mount is a folder seen from machine and host; host is "" where two are of one name, seen under names unknown.
type mount struct{ vm, host string }

// NewMounts tells the mounts of a session whose machine goes by one of the
// given names, from its storage folder and the host's folders given to it.
func NewMounts(processes []string, storage string, folders []string) Mounts {
	m := Mounts{processes: processes, storage: storage}
	for _, host := range folders {
		name := ingest.LastName(host)
		if name == "" {
			continue
		}
		m.named = append(m.named, mount{name, host})
	}
	for i := range m.named {
		for j := range m.named {
			if i != j && m.named[i].vm == m.named[j].vm && m.named[i].host != m.named[j].host {
				m.named[i].host = ""
				break
			}
		}
	}
	return m
}

// Host is the host's path for one of the machine's; false if it isn't the host's or can't be known.
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

// below returns what is left of p under dir.
func below(p, dir string) (string, bool) {
	if p == dir {
		return "", true
	}
	return strings.CutPrefix(p, dir+"/")
}

// joinHost puts a slash path below a host's folder in the host's own spelling.
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

// grant is what the app answers when it connects another folder: "Host path: … → VM path: …".
var grant = text.Pattern("Host path:\\s*(\\S[^\\n]*?)\\s*(?:→|->)\\s*VM path:\\s*([`\"']?/sessions/[^\\n]+)")

// Grants adds the folders that a result of request_cowork_directory states, and returns the host's names of them.
func (m *Mounts) Grants(result string) []string {
	var hosts []string
	for _, g := range grant().FindAllStringSubmatch(result, -1) {
		host := strings.Trim(g[1], "`\"'")
		m.stated = append(m.stated, mount{path.Clean(statedVM(g[2], ingest.LastName(host))), host})
		hosts = append(hosts, host)
	}
	return hosts
}

// statedVM is the folder that a rest of a line begins with. The line can go on
// after it; folders have spaces in their names, but mostly the host's name.
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
