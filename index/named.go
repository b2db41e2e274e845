package index

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"recall/internal/text"
)

// namedBoost is added to the scores of results from a project that the question names. It doesn't exclude
// others, since a name may be an ordinary word.
const namedBoost = 2.0

// hereBoost is added to the scores of results from the project that a question is asked from, if it names no
// other. With eight projects in one library it recovers half of what the others cost, and loses a third of that
// for questions about another project (docs/internals/search.md); of 0.25 to 2, 1 did best.
const hereBoost = 1.0

// named lists the projects whose names occur in the question as rare words, if there are several projects.
func (r *reader) named(ctx context.Context, ts []term) ([]string, error) {
	if r.q.Project != "" || len(ts) == 0 {
		return nil, nil
	}
	projects, err := r.projects(ctx)
	if err != nil || len(projects) < 2 {
		return nil, err
	}
	text := strings.ToLower(text.HeadMarked(r.q.Text, maxQuestion))
	return slices.DeleteFunc(slices.Clone(projects), func(name string) bool {
		return !containsName(text, strings.ToLower(name)) || !r.rareName(name, ts)
	}), nil
}

// projects lists all projects, read once per state of the index.
func (r *reader) projects(ctx context.Context) ([]string, error) {
	return cached(r.read, r.read.projects, "", func() ([]string, error) {
		return column[string](ctx, r.tx, `SELECT DISTINCT project FROM session ORDER BY project`)
	})
}

// rareName reports whether a name in the question consists of words, one of them rare.
func (r *reader) rareName(name string, ts []term) bool {
	return slices.ContainsFunc(ts, func(t term) bool {
		return nameHasTerm(name, t) &&
			t.df.docs() <= max(fewDocs, r.size.all()/20)
	})
}

func nameHasTerm(name string, t term) bool {
	return slices.ContainsFunc(text.Content(name), func(w string) bool { return text.Stem(w) == t.stem })
}

// containsName reports whether a name occurs in a text, and not as a part of a word.
func containsName(text, name string) bool {
	if utf8.RuneCountInString(name) < 3 {
		return false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		from = i + len(name)
	}
}

func inWord(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' || c == '-')
}

// withoutNames drops the words of projects' names that occur in no item or turn: they name where to look, and
// aren't missing.
func withoutNames(ts []term, names []string) []term {
	kept := slices.DeleteFunc(slices.Clone(ts), func(t term) bool {
		return t.df.docs() == 0 && slices.ContainsFunc(names, func(name string) bool { return nameHasTerm(name, t) })
	})
	if len(kept) == 0 {
		return ts
	}
	return kept
}

// inNamed reports whether a session belongs to a project that the question names or, if it names none, to the
// one that it is asked from.
func (r *reader) inNamed(ctx context.Context, session int64) (named, here bool, err error) {
	names := r.names
	if len(names) == 0 {
		if r.q.Here == "" || r.q.Project != "" {
			return false, false, nil
		}
		names = []string{r.q.Here}
	}
	for _, name := range names {
		of, err := r.sessionsOf(ctx, name)
		if err != nil {
			return false, false, err
		}
		if of[session] {
			return len(r.names) > 0, len(r.names) == 0, nil
		}
	}
	return false, false, nil
}
