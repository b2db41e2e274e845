// Package ramdisk is imported by tests for its effect: on Linux, if there is room, it puts their temporary folders in
// memory, because they spent nine tenths of their time waiting for the disk. An existing TMPDIR is respected.
package ramdisk
