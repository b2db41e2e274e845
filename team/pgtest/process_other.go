//go:build !linux

package pgtest

import (
	"errors"
	"os"
	"os/exec"
)

var quit = os.Kill

func giveToServer(string) error { return errors.New("tests start it on Linux only") }

// Command returns a program that runs as the server's user.
func (s *Server) Command(name string, args ...string) *exec.Cmd { return exec.Command(name, args...) }

func launch(c *exec.Cmd) error { return c.Start() }
