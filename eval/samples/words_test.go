package samples

import (
	"path"
	"strconv"
	"strings"
	"time"
)

// produced keeps a file that a Cowork session writes into its outputs.
func (w *scribe) produced(name, text string) {
	if out, ok := strings.CutPrefix(name, "out:"); ok {
		w.s.outputs[out] = text
	}
}

// path completes a path of the script: relative ones lie in the project, in
// Cowork where the VM has mounted it; "out:" and "up:" are outputs and uploads.
func (w *scribe) path(p string) string {
	mnt := "/sessions/" + w.s.head["process"] + "/mnt/"
	switch {
	case strings.HasPrefix(p, "/"):
		return p
	case strings.HasPrefix(p, "out:"):
		return mnt + "outputs/" + p[len("out:"):]
	case strings.HasPrefix(p, "up:"):
		return mnt + "uploads/" + p[len("up:"):]
	case w.s.head["source"] == "cowork":
		return mnt + path.Base(w.s.head["cwd"]) + "/" + p
	}
	return w.s.head["cwd"] + "/" + p
}

func (w *scribe) planFile() string {
	return homeOf(w.s.head["cwd"]) + "/.claude/plans/" + w.s.head["slug"] + ".md"
}

func (w *scribe) transcriptPath() string {
	cwd := w.s.head["cwd"]
	return homeOf(cwd) + "/.claude/projects/" + slug(cwd) + "/" + w.s.id + ".jsonl"
}

// homeOf is the home folder that a path of the samples lies in.
func homeOf(p string) string {
	parts := strings.SplitN(p, "/", 4)
	return strings.Join(parts[:min(3, len(parts))], "/")
}

// slug is the name of a project folder: all but letters and digits are dashes.
func slug(cwd string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, cwd)
}

func numbered(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strconv.Itoa(i+1) + "\t" + lines[i]
	}
	return strings.Join(lines, "\n")
}

func patch(before, after string) object {
	var lines []string
	for _, l := range strings.Split(before, "\n") {
		lines = append(lines, "-"+l)
	}
	for _, l := range strings.Split(after, "\n") {
		lines = append(lines, "+"+l)
	}
	return obj("oldStart", 1, "oldLines", lineCount(before), "newStart", 1, "newLines", lineCount(after), "lines", lines)
}

func usage(read, out int) object {
	return obj("input_tokens", 6, "cache_creation_input_tokens", 420, "cache_read_input_tokens", read, "output_tokens",
		out,
		"server_tool_use", obj("web_search_requests", 0, "web_fetch_requests", 0), "service_tier", "standard")
}

func signature(text string) string { return apiID("Er", "signature", text) }

func lineCount(s string) int { return strings.Count(s, "\n") + 1 }

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}

// repoOf takes owner/name out of a pull request's address.
func repoOf(url string) string {
	parts := strings.Split(url, "/")
	if len(parts) < 5 {
		return ""
	}
	return parts[3] + "/" + parts[4]
}

// options reads "key=value key=value".
func options(s string) map[string]string {
	m := map[string]string{}
	for _, f := range strings.Fields(s) {
		if k, v, ok := strings.Cut(f, "="); ok {
			m[k] = v
		}
	}
	return m
}
