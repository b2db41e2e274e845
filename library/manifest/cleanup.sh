# Nothing is deleted without --apply. It may be run again at any time.
# What can't be made again is copied beside this script, and the copy is
# compared with the file, before the file may go. A file is left alone if it, or
# a folder on its way, is a link. Every step stands in the log.

set -u
umask 077
LC_ALL=C
export LC_ALL
unset CDPATH
apply=no
case ${1-} in
'') ;;
--apply) apply=yes ;;
*)
	echo "usage: sh $0 [--apply]" >&2
	exit 2
	;;
esac
here=$(cd -P -- "$(dirname -- "$0")" && pwd -P) || exit 2
root=${SCRIPT_ROOT-} # a folder to work in instead of /
top=$(cd -P -- "${root:-/}" && pwd -P) || exit 2
[ "$top" = / ] && top=
kept=$here/$kept_name
log=$here/$log_name
ref=$here/.recall-$$.ref
for own in "$kept" "$log" "$ref"; do
	if [ -L "$own" ]; then
		echo "$own is a link: not used" >&2
		exit 2
	fi
done
if [ -e "$log" ] && [ ! -f "$log" ]; then
	echo "$log is no plain file: not used" >&2
	exit 2
fi
trap 'rm -f -- "$ref"' EXIT
trap 'exit 1' HUP INT TERM
if [ -n "$session_end" ]; then
	TZ=UTC0 touch -t "$session_end" -- "$ref" || exit 2
fi
copied=0 freed=0 could=0 trouble=0

shown() { printf '%s' "$1" | tr '\001-\037\177' '?'; }
say() { printf '%s\n' "$1"; }
note() {
	printf '%s %s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" "$(shown "$2")" >>"$log" || {
		echo "the log can't be written: $log" >&2
		exit 2
	}
}
bad() {
	trouble=$((trouble + 1))
	say "left alone ($1): $(shown "$2")"
	note "left alone, $1:" "$2"
}

# sum prints the SHA-256 of its input.
sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256
	else
		openssl dgst -sha256 -r
	fi | {
		read -r got rest
		printf '%s' "$got"
	}
}
hash() { [ -f "$1" ] && sum <"$1"; }

# real prints a folder's path with all links followed, and an x.
real() { (cd -P -- "$1" 2>/dev/null && pwd -P && printf x); }

# plain says whether a path of this system is a file, reached through no link.
plain() {
	[ -f "$root$1" ] && [ ! -L "$root$1" ] || return 1
	in=$top${1%/*}
	[ "$(real "$root${1%/*}/")" = "${in:-/}
x" ]
}

# keep copies a file to the mount, and compares.
keep() {
	at=$kept$1
	if [ -f "$at" ] && [ ! -L "$at" ] && [ "$(hash "$at")" = "$2" ]; then
		note "kept already:" "$1"
		return 0
	fi
	up=${at%/*}
	while [ ! -e "$up" ] && [ ! -L "$up" ]; do
		up=${up%/*}
	done
	[ "$(real "$up/")" = "$up
x" ] && mkdir -p -- "${at%/*}" || return 1
	if [ -e "$at" ] || [ -L "$at" ]; then
		mv -f -- "$at" "$at.$(hash "$at" | cut -c1-12)" || return 1
	fi
	rm -f -- "$at.part" # a link there would be written through
	cp -p -- "$root$1" "$at.part" 2>/dev/null || cp -- "$root$1" "$at.part" || return 1
	if [ "$(hash "$at.part")" != "$2" ] || [ "$(hash "$root$1")" != "$2" ]; then
		rm -f -- "$at.part"
		return 1
	fi
	mv -f -- "$at.part" "$at" || return 1
	copied=$((copied + 1))
	note "copied $2:" "$1"
}

# go tells that a file may go, and lets it go with --apply: by its name in its
# folder, if that is still the folder and this the file.
go() {
	size=$(($(wc -c <"$root$1")))
	could=$((could + size))
	if [ $apply = no ]; then
		say "may go, $size bytes, $3: $(shown "$1")"
		return
	fi
	if (
		in=$top${1%/*}
		cd -P -- "$root${1%/*}/" && [ "$(pwd -P && printf x)" = "${in:-/}
x" ] && [ ! -L "./${1##*/}" ] && [ "$(hash "./${1##*/}")" = "$2" ] && rm -f -- "./${1##*/}"
	); then
		freed=$((freed + size))
		say "deleted, $size bytes, $3: $(shown "$1")"
		note "deleted $2, $3:" "$1"
	else
		bad "it changed meanwhile, or can't be deleted" "$1"
	fi
}

# unique FILE: what can't be made again.
unique() {
	seen "$1" || return 0
	if keep "$1" "$now"; then
		go "$1" "$now" "a copy is kept"
	else
		bad "it could not be copied" "$1"
	fi
}

# again FILE SUM: what can be made again, to this SUM where that is known.
again() {
	seen "$1" || return 0
	if [ -n "$2" ]; then
		same=no
		[ "$now" != "$2" ] || same=yes
	elif changed "$1"; then
		same=no
	else
		same=yes
	fi
	if [ $same = yes ]; then
		go "$1" "$now" "it can be made again"
	else
		unique "$1"
	fi
}

# seen looks at a file and takes its sum.
seen() {
	if [ ! -e "$root$1" ] && [ ! -L "$root$1" ]; then
		return 1
	fi
	if ! plain "$1"; then
		bad "it is no plain file, or lies behind a link" "$1"
		return 1
	fi
	now=$(hash "$root$1")
	if [ -z "$now" ]; then
		bad "it can't be read" "$1"
		return 1
	fi
}

# changed says whether a file was written after the session, or that isn't known.
changed() {
	[ -z "$session_end" ] || [ -n "$(find "$root$1" -prune -newer "$ref")" ]
}

note "begun" "apply=$apply"
