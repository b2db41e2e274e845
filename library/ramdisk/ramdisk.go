// Package ramdisk is imported by tests for its effect: on Linux their temporary folders
// are then made in memory, where there is room. What is durable is made so with every
// file of a library, and of a test's waiting for the disk nine tenths were for folders
// that it throws away. TMPDIR, where it is set, is kept to.
package ramdisk
