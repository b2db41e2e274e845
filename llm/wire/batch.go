package wire

import (
	"bufio"
	"bytes"
	"context"
	"io"
)

// Lines hands each line of a batch's answers on that isn't blank; last says that no
// line break ends it. The error is take's, or that of a connection that broke.
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
