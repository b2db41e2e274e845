package terminal

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
)

// OpenBrowser opens a link in the person's browser if there is one to be seen here: not over ssh, nor
// without a display. On Linux other users of the machine can read the link in the command's arguments.
func OpenBrowser(link string) {
	var c *exec.Cmd
	switch {
	case os.Getenv("SSH_CONNECTION") != "":
		return
	case runtime.GOOS == "darwin":
		c = exec.Command("osascript") // which is told by its input, out of sight
		c.Stdin = strings.NewReader(`open location "` + link + `"`)
	case runtime.GOOS == "windows":
		c = exec.Command("rundll32", "url.dll,FileProtocolHandler", link)
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "":
		return
	default:
		c = exec.Command("xdg-open", link)
	}
	if c.Start() == nil {
		go c.Wait()
	}
}
