package terminal

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
)

// ErrSeen is returned for output after the person quit the pager: they have seen enough.
var ErrSeen = errors.New("the pager was left")

// pager runs the person's pager between recall and the screen, as git does: PAGER, else less; on Windows only PAGER,
// because more garbles anything that isn't ASCII.
type pager struct {
	screen io.Writer
	words  []string
	cmd    *exec.Cmd // nil until something is written
	in     io.WriteCloser
	kept   []byte // all that was written, up to about keptForPager
	ended  bool   // it accepts no more input
	broken bool   // it failed: output goes straight to the screen
}

// keptForPager is how much output is kept to show without the pager if it fails; a pager that read more than this
// works.
const keptForPager = 1 << 20

// Paged sends output from now on through the person's pager, if w is a terminal.
func Paged(w io.Writer) {
	o, ok := w.(*Output)
	if !ok || !Drafts(o) || os.Getenv("TERM") == "" && runtime.GOOS != "windows" {
		return
	}
	words := strings.Fields(os.Getenv("PAGER"))
	if _, set := os.LookupEnv("PAGER"); !set && runtime.GOOS != "windows" {
		words = []string{"less"}
	}
	if len(words) == 0 || words[0] == "cat" {
		return
	}
	if _, err := exec.LookPath(words[0]); err == nil {
		o.pager = &pager{screen: o.W, words: words}
	}
}

func (p *pager) Write(b []byte) (int, error) {
	if p.cmd == nil {
		p.start()
	}
	if p.broken {
		return p.screen.Write(b)
	}
	if len(p.kept) <= keptForPager {
		p.kept = append(p.kept, b...)
	}
	if !p.ended {
		if _, err := p.in.Write(b); err != nil {
			if err := p.close(); err != nil {
				return 0, err
			}
		}
	}
	if p.ended && !p.broken {
		return 0, ErrSeen
	}
	return len(b), nil
}

func (p *pager) start() {
	p.cmd = exec.Command(p.words[0], p.words[1:]...)
	p.cmd.Stdout, p.cmd.Stderr = p.screen, os.Stderr
	p.cmd.Env = os.Environ()
	// Without a locale, as in a container, less would show each non-ASCII letter as <E2><80><A6>.
	for name, preset := range map[string]string{"LESS": "FRX", "LV": "-c", "LESSCHARSET": "utf-8"} {
		if _, set := os.LookupEnv(name); !set {
			p.cmd.Env = append(p.cmd.Env, name+"="+preset)
		}
	}
	var err error
	if p.in, err = p.cmd.StdinPipe(); err == nil {
		err = p.cmd.Start()
	}
	if p.ended, p.broken = err != nil, err != nil; err == nil {
		signal.Ignore(os.Interrupt) // Ctrl-C is for the pager
	}
}

// close waits until the person quits the pager. If the pager failed, it prints the output without it.
func (p *pager) close() error {
	if p.cmd == nil || p.ended {
		return nil
	}
	p.ended = true
	p.in.Close()
	err := p.cmd.Wait()
	signal.Reset(os.Interrupt)
	if err != nil && len(p.kept) <= keptForPager {
		p.broken = true
		_, err := p.screen.Write(p.kept)
		return err
	}
	return nil
}
