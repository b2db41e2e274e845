package offline

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"recall/distill"
	"recall/ingest"
	"recall/ingest/cowork"
	"recall/ingest/trace"
	"recall/payload"
)

// Work on a person's folders continues another day: what was done to which, what was left
// out, how things are named. What was done is on record; the rest is quoted, and nothing is
// claimed.

const (
	maxFolders     = 8 // items about what was done
	maxExamples    = 3 // names in one of these
	maxFolderWords = 5 // items about what was said
)

// A folderChange is something done to the files of a folder.
type folderChange struct {
	what, folder string
	names        []string
	turn         *ingest.Turn
	quote        string
}

// folderWork lists what a session renamed, moved and deleted in the folders given to it, one
// item per folder and kind of change.
func folderWork(s *ingest.Session, actions []trace.Action) []payload.Item {
	if s.Source != ingest.Cowork || len(s.Where.Folders) == 0 {
		return nil
	}
	given := givenFolders(s)
	var changes []*folderChange
	for i := range actions {
		a := &actions[i]
		turn := s.TurnAt(a.N)
		if turn == nil || turn.Aside() || a.Agent != "" || !a.Call.Worked() {
			continue
		}
		do := func(what, at, name string) {
			folder, ok := given(at)
			if !ok {
				return
			}
			k := slices.IndexFunc(changes, func(d *folderChange) bool { return d.what == what && d.folder == folder })
			if k < 0 {
				k = len(changes)
				changes = append(changes, &folderChange{what: what, folder: folder})
			}
			d := changes[k]
			if !slices.Contains(d.names, name) {
				d.names = append(d.names, name)
			}
			d.turn, d.quote = turn, cmp.Or(a.Call.Command, a.Call.Path)
		}
		for _, t := range a.Touches {
			from, to := path.Base(t.From), path.Base(t.Path)
			switch {
			case t.How == trace.Delete:
				do("deleted", path.Dir(t.Path), to)
			case t.How != trace.Rename:
			case path.Dir(t.From) == path.Dir(t.Path):
				do("renamed", path.Dir(t.Path), from+" → "+to)
			default:
				if _, ok := given(path.Dir(t.Path)); !ok {
					do("moved away", path.Dir(t.From), from)
				} else if from == to {
					do("moved here", path.Dir(t.Path), to)
				} else {
					do("moved here", path.Dir(t.Path), from+" → "+to)
				}
			}
		}
		for _, st := range a.Steps { // in a loop, or over a pattern
			if (st.Program == "mv" || st.Program == "rm") && slices.Contains(st.Args, trace.UnknownArg) {
				do("files that only the shell named, by "+st.Program, st.Dir, "")
			}
		}
	}
	var out []payload.Item
	for _, d := range changes[max(0, len(changes)-maxFolders):] {
		text := d.folder + ": " + d.what
		if d.names[0] != "" {
			text = fmt.Sprintf("%s: %d %s, %s", d.folder, len(d.names), d.what,
				strings.Join(d.names[:min(len(d.names), maxExamples)], "; "))
		}
		if more := len(d.names) - maxExamples; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
		it := recorded(payload.Status, distill.FolderRule, payload.ByAssistant, d.turn, text, d.quote)
		it.About = []string{d.folder}
		out = append(out, it)
	}
	return out
}

// givenFolders returns a function that names folders relative to those the person gave, and
// reports whether they are inside one.
func givenFolders(s *ingest.Session) func(string) (string, bool) {
	mounts := cowork.NewMounts([]string{s.Where.Process}, s.Where.Storage, s.Where.Folders)
	return func(dir string) (string, bool) {
		if host, ok := mounts.Host(dir); ok {
			dir = host
		}
		dir = ingest.SlashPath(dir)
		for _, folder := range s.Where.Folders {
			root := ingest.SlashPath(folder)
			if rest, ok := strings.CutPrefix(dir+"/", root+"/"); ok {
				return strings.TrimSuffix(path.Base(root)+"/"+rest, "/"), true
			}
		}
		return "", false
	}
}

// folderWords quotes what was said about such work that the next session must know: what
// was left out or isn't done, and how things are named. The latest statements count.
func folderWords(t *talk) []payload.Item {
	var out []payload.Item
	for _, sp := range t.speeches {
		if !sp.user && !(sp.source == message && sp.closing) {
			continue
		}
		for i := range sp.parts {
			s := &sp.parts[i]
			tells := s.cues.has(cueSkip) || sp.user && s.cues.has(cueName)
			if !tells || sp.foreign(s) || !worthReading(s, sp) {
				continue
			}
			quote := sp.text[s.from:s.to]
			out = append(out, recorded(payload.Status, distill.FolderRule, sp.by(), sp.turn, inQuotes(plain(quote)), quote))
		}
	}
	return out[max(0, len(out)-maxFolderWords):]
}
