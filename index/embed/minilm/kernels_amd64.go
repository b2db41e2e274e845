package minilm

import "golang.org/x/sys/cpu"

// assembly reports whether this processor has the instructions of kernels_amd64.s.
var assembly = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// multiply sets two columns of four rows of out to the products of four rows of x and two of w, each of n floats, a
// multiple of eight. The others are how many floats it is from a row to the next.
//
//go:noescape
func multiply(out, x, w *float32, ofOut, ofX, ofW, n int)

// multiplyRounded is multiply of rounded numbers; n is a multiple of sixteen.
//
//go:noescape
func multiplyRounded(out *float32, x, w *int16, ofOut, ofX, ofW, n int)

// round sets n numbers, a multiple of sixteen, to shares of the largest, which is mostRounded then.
//
//go:noescape
func round(to *int16, from *float32, n int) (most float32)

// unpackRounded unpacks n groups of weights; the weight 1 of the group with the largest scale is perScale then.
//
//go:noescape
func unpackRounded(to *int16, from *byte, n int) (most float32)
