package app

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"recall/config"
	"recall/hint"
	"recall/index/embed"
	"recall/library"
)

// LexiconFile is where a user's own words for one another may stand, beside
// config.yaml: see embed.ParseGroups.
const LexiconFile = "lexicon.txt"

// UseLexicon has searches use the user's own lexicon, if there is one.
func (a *App) UseLexicon() error {
	dir := filepath.Dir(a.Config.Own())
	if a.Config.Own() == "" {
		user := config.ThisSystem().User
		if user == "" {
			return nil
		}
		dir = filepath.Join(user, "recall")
	}
	file := filepath.Join(dir, LexiconFile)
	b, err := library.ReadRegular(file, config.MostOfNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("your lexicon: %w", err)
	}
	own, err := embed.ParseGroups(string(b))
	if err != nil {
		return hint.With(fmt.Errorf("%s: %w", file, err),
			`a line is a group of words for one concept: pipeline|conveyor|transporter belt`)
	}
	a.Index.UseLexicon(own)
	return nil
}
