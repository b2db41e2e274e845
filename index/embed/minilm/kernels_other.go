//go:build !amd64

package minilm

var assembly = false

func multiply(out, x, w *float32, ofOut, ofX, ofW, n int) { panic("no assembly") }

func multiplyRounded(out *float32, x, w *int16, ofOut, ofX, ofW, n int) { panic("no assembly") }

func round(to *int16, from *float32, n int) (most float32) { panic("no assembly") }

func unpackRounded(to *int16, from *byte, n int) (most float32) { panic("no assembly") }
