package minilm

import "golang.org/x/sys/cpu"

// assembly reports whether this processor has the instructions of kernels_amd64.s.
var assembly = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// multiply sets two columns of four rows of out to the products of four rows of x and two of w, each of n floats, a
// multiple of eight. The others are how many floats it is from a row to the next.
//
//go:noescape
func multiply(out, x, w *float32, ofOut, ofX, ofW, n int)

// unpackGroups unpacks n groups of weights.
//
//go:noescape
func unpackGroups(to *float32, from *byte, n int)
