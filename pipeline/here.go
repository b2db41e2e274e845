package pipeline

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"recall/ingest"
	"recall/library"
	"recall/library/disk"
)

// ProjectAt returns the project and branch of a folder of this machine: those of the folder's repository, or outside of
// one, the project of the folder or of the nearest one above it. A repository is known on another machine, too. The
// project is "" if no session ran there; no other project is guessed.
func ProjectAt(l *library.Library, dir string) (project, branch string) {
	if repo, ok := ingest.RepositoryOf(dir); ok {
		p, err := l.Project(repo.Root)
		if err != nil {
			p, err = l.Project(dir)
		}
		if err != nil {
			known, _ := l.Roots() // a damaged registry is reported by those who need it
			p, err = l.Project(cmp.Or(ingest.MovedFrom(repo, known), repo.Root))
		}
		if err == nil {
			return p.ID, repo.Branch
		}
		return "", ""
	}
	for _, at := range slices.Compact([]string{dir, disk.RealPath(dir)}) {
		for {
			if p, err := l.Project(at); err == nil {
				return p.ID, ""
			}
			up := filepath.Dir(at)
			if up == at || ingest.Wide(up) {
				break
			}
			at = up
		}
	}
	return "", ""
}

// A NotHereError says that no session ran in a folder, so that it identifies no project.
type NotHereError struct {
	Project string    // the one last worked on anywhere; "" if there is none
	At      time.Time // when that was
}

func (e *NotHereError) Error() string {
	if e.Project == "" {
		return "no session worked here: the library is empty"
	}
	return fmt.Sprintf("no session worked here; the last was in %q, %s", e.Project, e.At.UTC().Format("2006-01-02"))
}

// RequireProject is Here for callers that need a project: if there is none, the error is a *NotHereError.
func RequireProject(l *library.Library, dir string) (project, branch string, err error) {
	if project, branch = ProjectAt(l, dir); project != "" {
		return project, branch, nil
	}
	entries, err := l.Sessions()
	if err != nil {
		return "", "", err
	}
	var last library.Entry
	for _, e := range entries {
		if !e.Helper && !e.End.Before(last.End) {
			last = e
		}
	}
	not := &NotHereError{At: last.End}
	if p, err := l.Project(last.Project); err == nil && last.ID != "" {
		not.Project = p.Name
	}
	return "", "", not
}
