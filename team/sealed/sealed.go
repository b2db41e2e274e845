// Package sealed encrypts a session's files to the devices of named people, with age, before they leave the machine.
package sealed

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"filippo.io/age"

	"recall/library/disk"
	"recall/library/raw"
)

// KeyAt returns the public key of the private key in a file, which is created, readable only by the user, if
// missing.
func KeyAt(file string) (public string, err error) {
	key, err := identity(file)
	if errors.Is(err, fs.ErrNotExist) {
		if key, err = age.GenerateX25519Identity(); err == nil {
			err = keep(file, key.String()+"\n")
		}
		if errors.Is(err, fs.ErrExist) { // another process was first
			key, err = identity(file)
		}
	}
	if err != nil {
		return "", err
	}
	return key.Recipient().String(), nil
}

// keep writes a file completely and durably, with mode 0600, unless it exists.
func keep(file, text string) error {
	temp, err := disk.Beside(file, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	if err != nil {
		return err
	}
	return errors.Join(disk.Link(temp, file), disk.Remove(temp), disk.SyncDir(filepath.Dir(file)))
}

func identity(file string) (*age.X25519Identity, error) {
	text, err := disk.ReadPlain(file)
	if err != nil {
		return nil, err
	}
	key, err := age.ParseX25519Identity(strings.TrimSpace(string(text)))
	if err != nil { // age's error would quote the key
		return nil, fmt.Errorf("%s: not a private key of age", file)
	}
	return key, nil
}

// File is one of a session's files.
type File struct {
	Name string // path below the session, with slashes
	Data []byte
}

// Seal packs files and encrypts them to public keys: without one of the private keys only their size is visible.
func Seal(files []File, keys []string) ([]byte, error) {
	var to []age.Recipient
	for _, k := range keys {
		r, err := age.ParseX25519Recipient(k)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", k, err)
		}
		to = append(to, r)
	}
	var packed, out bytes.Buffer
	w := tar.NewWriter(&packed)
	for _, f := range files {
		if err := w.WriteHeader(&tar.Header{Name: f.Name, Mode: 0o600, Size: int64(len(f.Data))}); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.Data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	e, err := age.Encrypt(&out, to...)
	if err == nil {
		_, err = e.Write(raw.Pack(packed.Bytes()))
	}
	if err == nil {
		err = e.Close()
	}
	return out.Bytes(), err
}

// ErrOther means that the files were sealed to other keys.
var ErrOther = errors.New("it was sealed to other keys than this machine's")

// Open decrypts files that were sealed to the key in a file. Their names are local paths; their content is
// untrusted.
func Open(data []byte, file string) (files []File, err error) {
	key, err := identity(file)
	if err != nil {
		return nil, err
	}
	in, err := age.Decrypt(bytes.NewReader(data), key)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return nil, ErrOther
	}
	if err != nil {
		return nil, err
	}
	unpacked, done, err := raw.Unpacked(in)
	if err != nil {
		return nil, err
	}
	defer done()
	r := tar.NewReader(io.LimitReader(unpacked, maxUnpacked))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if name := path.Clean(h.Name); h.Typeflag != tar.TypeReg || !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, fmt.Errorf("%q isn't a file of a session", h.Name)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		files = append(files, File{path.Clean(h.Name), text})
	}
}

// maxUnpacked is the size limit of the unpacked files, in bytes.
const maxUnpacked = 2 << 30
