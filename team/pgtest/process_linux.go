package pgtest

import (
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"syscall"
)

// quit makes PostgreSQL exit at once with its children, as if it had crashed.
var quit = syscall.SIGQUIT

// serverUser returns the user to run PostgreSQL as if the tests run as root, which it refuses; nil for the
// current user.
func serverUser() (*syscall.Credential, error) {
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

// giveToServer makes the server's user the owner of a file.
func giveToServer(path string) error {
	who, err := serverUser()
	if err != nil || who == nil {
		return err
	}
	return os.Chown(path, int(who.Uid), int(who.Gid))
}

// Command returns a program that runs as the server's user.
func (s *Server) Command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = s.Dir
	c.Env = []string{"PATH=" + s.bin, "LC_ALL=C", "TZ=UTC"}
	who, _ := serverUser() // giveToServer has reported any error
	c.SysProcAttr = &syscall.SysProcAttr{Credential: who, Setpgid: true}
	return c
}

// launch starts a server that ends with this process, however that ends.
func launch(c *exec.Cmd) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // Pdeathsig is sent when this thread ends
		c.SysProcAttr.Pdeathsig = quit
		started <- c.Start()
		select {}
	}()
	return <-started
}
