package raw

import "io"

// CommonLength returns the length of the common beginning of two streams, and whether that is all of there. It reads
// archived to its end, which verifies it.
func CommonLength(archived, there io.Reader) (same int64, whole bool, err error) {
	a, b := make([]byte, 128<<10), make([]byte, 128<<10)
	for equal := true; ; {
		n, end := io.ReadFull(archived, a)
		if equal {
			m, err := io.ReadFull(there, b[:n])
			if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
				return same, false, err
			}
			common := samePrefix(a[:n], b[:m])
			same += int64(common)
			equal, whole = common == n, common == m && m < n
		}
		switch end {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			if equal { // up to the end of archived
				m, err := there.Read(b[:1])
				whole = m == 0 && err == io.EOF
			}
			return same, whole, nil
		default:
			return same, false, end
		}
	}
}

func samePrefix(a, b []byte) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
