// Package ramdisk is imported by tests for its effect: on Linux their temporary folders are made in memory, where there
// is room, as waiting for the disk was nine tenths of their time. TMPDIR, where it is set, is kept to.
package ramdisk
