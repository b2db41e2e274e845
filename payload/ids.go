package payload

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"strconv"
	"strings"
	"unicode"

	"recall/internal/text"
)

// idAlphabet lacks 0, 1, l and o, which are easily confused when read aloud or copied by hand.
const idAlphabet = "23456789abcdefghijkmnpqrstuvwxyz"

const idLength = 10 // 50 bits

// Mint gives an id to each item that has none: a hash of the session, the item's first evidence turn, its kind and
// its text, so it is the same on every machine. If the id is in taken, the next hash is used. Mint adds the new ids
// to taken.
func Mint(session string, items []Item, taken map[ItemID]bool) {
	for i := range items {
		if items[i].ID != "" {
			taken[items[i].ID] = true
		}
	}
	for i := range items {
		if items[i].ID == "" {
			items[i].ID = mint(session, &items[i], taken)
			taken[items[i].ID] = true
		}
	}
}

func mint(session string, it *Item, taken map[ItemID]bool) ItemID {
	for try := uint64(0); ; try++ {
		h := sha256.New()
		for _, part := range []string{session, it.First().Turn, string(it.Kind), it.Text} {
			writePart(h, part)
		}
		h.Write(binary.BigEndian.AppendUint64(nil, try))
		if id := idOf(h.Sum(nil)); !taken[id] {
			return id
		}
	}
}

// PageID returns the id by which the marker of a page names a session that it hands on. It has the form of an item's:
// in a later transcript it says as much as the ids of all items on the page would, and takes fewer tokens.
func PageID(session string) ItemID {
	h := sha256.New()
	for _, part := range []string{"page", session} {
		writePart(h, part)
	}
	return idOf(h.Sum(nil))
}

// writePart writes the length of s before s, so that "ab"+"c" and "a"+"bc" hash differently.
func writePart(h hash.Hash, s string) {
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(s))))
	h.Write([]byte(s))
}

func idOf(sum []byte) ItemID {
	bits := binary.BigEndian.Uint64(sum)
	var id [idLength]byte
	for i := range id {
		id[i] = idAlphabet[bits>>59]
		bits <<= 5
	}
	return ItemID(id[:])
}

// IsID reports whether s has the form of an item id.
func IsID(s string) bool {
	return len(s) == idLength && strings.Trim(s, idAlphabet) == ""
}

// Handle returns the name that people type for a session: git-sync#5 is the fifth of project git-sync.
func Handle(project string, number int) string {
	return fmt.Sprintf("%s#%d", ProjectHandle(project), number)
}

// ProjectHandle returns a project's name without characters that a shell would need quoted: "git-sync (devenv)"
// becomes git-sync-devenv.
func ProjectHandle(name string) string {
	return strings.Join(strings.FieldsFunc(name, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || strings.ContainsRune("-()[]{}<>|&;$`'\"\\*?!#~=", r)
	}), "-")
}

// CutTurns divides what names turns of a session, billing#2:31, billing#2:31-35 or 7f3c1a2b:31, into the session's name
// and the turns, both in it. from is 0 if it names none.
func CutTurns(name string) (session string, from, to int) {
	m := turnsNamed().FindStringSubmatch(name)
	if m == nil {
		return name, 0, 0
	}
	from, _ = strconv.Atoi(m[2])
	to, _ = strconv.Atoi(m[3])
	return m[1], from, max(from, to)
}

var turnsNamed = text.Pattern(`^(.+):(\d{1,6})(?:-(\d{1,6}))?$`)
