package terminal

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// screen is a terminal of so many rows and columns, and what was written to it.
func screen(t *testing.T, rows, columns uint16) (tty *os.File, written func() string) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no pseudo-terminals here: ", err)
	}
	t.Cleanup(func() { master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tty.Close() })
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return tty, func() string {
		fmt.Fprint(tty, "\x04") // the end
		var all strings.Builder
		for buf := make([]byte, 256); !strings.HasSuffix(all.String(), "\x04"); {
			n, err := master.Read(buf)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(buf[:n])
		}
		return strings.ReplaceAll(strings.TrimSuffix(all.String(), "\x04"), "\r\n", "\n")
	}
}

// What takes a draft's place stands where it stood, over as many rows as it took;
// below it where that isn't on the screen any more.
func TestDraft(t *testing.T) {
	t.Setenv("TERM", "xterm")
	for _, c := range []struct {
		name, text, then, want string
		rows                   uint16
	}{
		{"another", "● one\n  \x1b[2mtwo\x1b[0m\n", "three\n",
			"● one\n  \x1b[2mtwo\x1b[0m\n… \r\x1b[K\x1b[2A\x1b[Jthree\n",
			24},
		{"a long line", strings.Repeat("x", 41) + "\n", "y\n",
			strings.Repeat("x", 41) + "\n… \r\x1b[K\x1b[3A\x1b[Jy\n", 24},
		{"the same", "one\n", "one\n", "one\n… \r\x1b[K", 24},
		{"too tall", "1\n2\n3\n4\n", "5\n", "1\n2\n3\n4\n… \r\x1b[K\n5\n", 4},
		{"none", "", "5\n", "5\n", 24},
	} {
		tty, written := screen(t, c.rows, 20)
		d := Draft{W: &Output{W: tty, Color: true}}
		if !Drafts(d.W) {
			t.Fatal("a terminal can't be written over")
		}
		if c.text != "" {
			d.Show(c.text, "… ")
		}
		d.Become(c.then)
		if got := written(); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	if Drafts(&strings.Builder{}) {
		t.Error("a file can be written over")
	}
}
