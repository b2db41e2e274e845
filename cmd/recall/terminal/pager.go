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

// ErrSeen is of output that a person left the pager from: they have seen enough.
var ErrSeen = errors.New("the pager was left")

// pager is the person's own, between recall and the screen, as git has it: PAGER, else less; on Windows only the one
// that PAGER names, since more spoils what isn't ASCII.
type pager struct {
	screen io.Writer
	words  []string
	cmd    *exec.Cmd // nil until something is written
	in     io.WriteCloser
	kept   []byte // all that was written, while that is little
	ended  bool   // it takes no more
	broken bool   // it didn't work: the screen has all
}

// keptForPager is how much is kept to be shown without the pager, should that fail; who read more of it works.
const keptForPager = 1 << 20

// Paged has what is written from now on go through the person's pager, if w is a screen.
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
	// Where no locale is set, as in a container, less would show each letter beyond ASCII as <E2><80><A6>.
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
		signal.Ignore(os.Interrupt) // Ctrl-C is the pager's now
	}
}

// close waits until the person is done. What a pager that failed was given is shown without it.
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
