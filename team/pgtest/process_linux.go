package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// quit is what PostgreSQL ends at once on, with its children, as if it crashed.
var quit = syscall.SIGQUIT

// as is whom PostgreSQL runs as where the tests are root's, whom it refuses to be: nil for the user itself.
func as() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("nobody")
	if err != nil {
		return nil, err
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, err
}

// giveAway makes a file one of who runs PostgreSQL.
func giveAway(path string) error {
	who, err := as()
	if err != nil || who == nil {
		return err
	}
	return os.Chown(path, int(who.Uid), int(who.Gid))
}

// Command is a program that runs as the user that the server runs as.
func (s *Server) Command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = s.Dir
	c.Env = []string{"PATH=" + s.bin, "LC_ALL=C", "TZ=UTC"}
	who, _ := as() // giveAway has told
	c.SysProcAttr = &syscall.SysProcAttr{Credential: who, Setpgid: true}
	return c
}

// launch starts a server that ends with this process, however that ends.
func launch(c *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // whose end is what the server is told of
		c.SysProcAttr.Pdeathsig = quit
		started <- c.Start()
		select {}
	}()
	return <-started
}
