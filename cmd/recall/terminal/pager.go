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
	ended  bool // it accepts no more input
}

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
		if err := p.start(); err != nil {
			return 0, err
		}
	}
	if !p.ended {
		if _, err := p.in.Write(b); err != nil {
			p.close()
		}
	}
	if p.ended {
		return 0, ErrSeen
	}
	return len(b), nil
}

func (p *pager) start() error {
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
	if p.ended = err != nil; !p.ended {
		signal.Ignore(os.Interrupt) // Ctrl-C is for the pager
	}
	return err
}

// close waits until the person quits the pager, which says itself what is wrong with how it was called.
func (p *pager) close() {
	if p.cmd == nil || p.ended {
		return
	}
	p.ended = true
	p.in.Close()
	_ = p.cmd.Wait() // most exit codes mean no failure
	signal.Reset(os.Interrupt)
}
