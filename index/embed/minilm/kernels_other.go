//go:build !amd64

package minilm

var assembly = false

func multiply(out, x, w *float32, ofOut, ofX, ofW, n int) { panic("no assembly") }

func unpackGroups(to *float32, from *byte, n int) { panic("no assembly") }
