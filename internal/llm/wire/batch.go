package wire

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// Lines calls take for each non-blank line of a batch's answers; last means that it doesn't
// end in a newline. The error is take's, or that of a broken connection.
func (t *Transport) Lines(ctx context.Context, body io.Reader, take func(line []byte, last bool) error) error {
	for r := bufio.NewReaderSize(body, 1<<16); ; {
		line, err := r.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return t.Broken(ctx, err)
		}
		if len(bytes.TrimSpace(line)) > 0 {
			if err := take(line, err == io.EOF); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}
