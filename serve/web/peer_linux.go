package web

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
)

// peerUser returns the user id of whoever is at the other end of a connection from this machine, from the kernel's list
// of sockets; ok is false if it isn't known for sure.
func peerUser(c net.Conn) (uid int, ok bool) {
	from, fine := c.RemoteAddr().(*net.TCPAddr)
	to, fine2 := c.LocalAddr().(*net.TCPAddr)
	if !fine || !fine2 {
		return 0, false
	}
	for _, list := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(list)
		if err != nil {
			return 0, false
		}
		for lines := bufio.NewScanner(f); lines.Scan(); {
			// its number, its own address, the other's, state, queues, timers, retransmits, user
			col := strings.Fields(lines.Text())
			if len(col) < 8 || !atPort(col[1], from.Port) || !atPort(col[2], to.Port) {
				continue
			}
			of, err := strconv.Atoi(col[7])
			if err != nil || ok && of != uid { // two sockets have these ports, on 127.0.0.1 and ::1
				f.Close()
				return 0, false
			}
			uid, ok = of, true
		}
		f.Close()
	}
	return uid, ok
}

// atPort reports whether an address of the list, "0100007F:1F90", has a port.
func atPort(address string, port int) bool {
	return strings.HasSuffix(address, fmt.Sprintf(":%04X", port))
}
