package manifest

import (
	"path"
	"strings"
)

// rebuildable reports whether a file could be made again, and why or why not.
func (w *work) rebuildable(f *file) (bool, string) {
	if f.judged {
		return f.rebuilt, f.reason
	}
	f.judged, f.reason = true, "made from itself"
	f.rebuilt, f.reason = w.judge(f)
	return f.rebuilt, f.reason
}

func (w *work) judge(f *file) (bool, string) {
	r := f.recipe
	switch {
	case strings.Contains(f.path, "‹"):
		return false, "its name holds a secret, which recall doesn't keep"
	case r.why != "":
		return false, r.why
	case len(r.calls) > 0:
		return true, "its content stands in the transcript"
	case r.inline:
		return true, "its content stands in the command"
	}
	for _, p := range r.from {
		if ok, why := w.available(p); !ok {
			return false, "made from " + path.Base(p) + ", " + why
		}
	}
	if len(r.from) == 0 {
		return true, "made by a command that reads no file"
	}
	return true, "made by a command from files that are known"
}

// available reports whether a file that something was made from would be there to make it again.
func (w *work) available(p string) (bool, string) {
	f := w.files[p]
	if f != nil && f.made && !f.there {
		if f.gone {
			return false, "which was deleted or renamed since"
		}
		if ok, why := w.rebuildable(f); !ok {
			return false, "which can't be made again: " + why
		}
		return true, ""
	}
	if f != nil && f.made {
		return false, "which the session changed"
	}
	if f != nil && f.gone {
		return false, "which was deleted since"
	}
	if _, ok := w.archivedAt(p); ok {
		return true, ""
	}
	if _, onHost := w.host(p); onHost {
		return true, ""
	}
	if strings.HasPrefix(p, "/usr/") || strings.HasPrefix(p, "/etc/") {
		return true, "" // of the machine's own system
	}
	return false, "which lay in the machine before"
}
