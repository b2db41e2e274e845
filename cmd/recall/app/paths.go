package app

import (
	"os"
	"path/filepath"
	"strings"

	"recall/hint"
	"recall/library/disk"
)

// RunsDir is where runs are kept that nobody named a file for.
func RunsDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", hint.With(err, "name a file with --out")
	}
	return filepath.Join(base, "recall", "eval"), nil
}

func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// WriteWhole replaces a file for this user only: it is there whole or not at all.
func WriteWhole(path string, data []byte) error { return disk.Replace(path, data, 0o600) }

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
