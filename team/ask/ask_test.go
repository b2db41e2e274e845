package ask

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"recall/internal/hint"
	"recall/team"
)

// speaking is a server whose first word, that it takes nobody, comes only once it may.
func speaking(t *testing.T, may <-chan struct{}) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	said := "SFATAL\x00C28000\x00Mgreetings from afar\x00\x00"
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				size := make([]byte, 4)
				if _, err := io.ReadFull(c, size); err != nil {
					return
				}
				io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(size))-4)
				<-may
				c.Write(append(binary.BigEndian.AppendUint32([]byte("E"), uint32(4+len(said))), said...))
			}()
		}
	}()
	return fmt.Sprintf("postgres://ana@%s/x?sslmode=disable", l.Addr())
}

// A server is waited for as long as team.wait says, and not asked for a while after it was silent.
func TestOpenWaits(t *testing.T) {
	may := make(chan struct{})
	m := &team.Membership{Address: speaking(t, may), Team: "t", Name: "Grain", Device: "d"}
	if err := m.Keep(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), m, 20*time.Millisecond); !errors.Is(err, team.ErrUnreachable) || !Lately(m) ||
		!strings.Contains(hint.Of(err), "team.wait") {
		t.Errorf("%v, out of reach %v; want it so", err, Lately(m))
	}
	close(may)
	_, err := Open(t.Context(), m, time.Minute)
	if err == nil || !strings.Contains(err.Error(), "from afar") || Lately(m) {
		t.Errorf("%v, out of reach %v; want what it says", err, Lately(m))
	}
}
