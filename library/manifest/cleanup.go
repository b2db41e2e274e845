package manifest

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"recall/library/disk"
	"recall/text"
)

//go:embed cleanup.sh
var cleanupShell string

// Cleaned is what a cleanup script is about.
type Cleaned struct {
	Keep  int // files that would be copied to the mount first
	Again int // files that can be made again
	Left  int // files that are left alone, since they lie outside the folders
}

// Cleanup writes the script that clears up the machine of a session: see
// cleanup.sh. contents are the exact texts that can be written again, by path.
// Nothing outside the folders is touched, nor what the host shares with the
// machine. The error is ErrNothing where nothing is in them.
func (m Manifest) Cleanup(contents map[string][]byte, folders []string) (string, Cleaned, error) {
	var b strings.Builder
	var c Cleaned
	var calls strings.Builder
	for _, f := range m.made() {
		switch {
		case !usable(f.Path), m.Machine == VM && (f.Machine != VM || strings.Contains(f.Path+"/", "/mnt/")):
			continue
		case !within(f.Path, folders):
			c.Left++
			fmt.Fprintf(&calls, "# left alone, outside the session's own folders: %s\n", comment(f.Path))
			continue
		}
		text, known := contents[f.Path]
		switch {
		case f.Rebuildable && len(f.Calls) > 0 && known:
			c.Again++
			fmt.Fprintf(&calls, "# %s\nagain %s %s\n", comment(f.Reason), quote(f.Path), disk.HexSum(text))
		case f.Rebuildable && len(f.Calls) == 0:
			c.Again++
			fmt.Fprintf(&calls, "# %s: %s\nagain %s ''\n", comment(f.Reason), comment(oneLine(f.Command)),
				quote(f.Path))
		default:
			c.Keep++
			reason := f.Reason
			if f.Rebuildable {
				reason = "its edits don't fit what was written: a command changed it"
			}
			fmt.Fprintf(&calls, "# %s\nunique %s\n", comment(reason), quote(f.Path))
		}
	}
	if c.Keep+c.Again == 0 {
		if m.Machine == Host {
			return "", c, ErrNothing{"this session ran on the host: its files are your own, and recall deletes none of them"}
		}
		if c.Left > 0 {
			return "", c, ErrNothing{"all that this session left in its machine lies outside its own folders"}
		}
		return "", c, ErrNothing{"this session left nothing in its machine that recall knows of"}
	}
	m.about(&b, "Clears up after", "")
	fmt.Fprintf(&b, "# Files that can be made again: %d. Files that are copied to %s first: %d.\n", c.Again,
		m.KeptName(), c.Keep)
	fmt.Fprintf(&b, "kept_name=%s\nlog_name=%s\nsession_end=%s\n\n", quote(m.KeptName()),
		quote("recall-cleanup-"+m.short()+".log"), quote(endStamp(m.End)))
	b.WriteString(cleanupShell)
	b.WriteString("\n" + calls.String())
	b.WriteString(cleanupEnd)
	return b.String(), c, nil
}

const cleanupEnd = `
if [ $apply = no ]; then
	say "$copied copied; $could bytes may go: sh $0 --apply"
else
	say "$copied copied; $freed bytes freed"
fi
note "done" "copied=$copied freed=$freed trouble=$trouble"
[ $trouble = 0 ]
`

// endStamp is a minute after the session's end as touch -t takes it; "" if
// that isn't known.
func endStamp(end time.Time) string {
	if end.IsZero() {
		return ""
	}
	return end.UTC().Add(time.Minute).Format("200601021504.05")
}

// oneLine is a command on one line.
func oneLine(s string) string {
	s = text.OneLine(s)
	if len(s) > 200 {
		s = strings.ToValidUTF8(s[:200], "") + "…"
	}
	return s
}
