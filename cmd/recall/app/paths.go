package app

import (
	"os"
	"path/filepath"
	"strings"

	"recall/cmd/recall/terminal"
)

// RunsDir is where runs are kept that nobody named a file for.
func RunsDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", terminal.WithHint(err, "name a file with --out")
	}
	return filepath.Join(base, "recall", "eval"), nil
}

func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// WriteWhole replaces a file: it is there whole or not at all.
func WriteWhole(path string, data []byte) (err error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".recall-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func IsDir(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}

// ShellWord is text as one word of a POSIX shell.
func ShellWord(s string) string {
	if s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%") == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
