
# Restores everything: packages in the same versions, then files, each compared
# with its sum. A file that exists is left as it is. Commands are run again only
# with --remake. The script can be run again at any time.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH
packages=yes remake=no
for arg; do
	case $arg in
	--remake) remake=yes ;;
	--no-packages) packages=no ;;
	*)
		echo "usage: sh $0 [--no-packages] [--remake]" >&2
		exit 2
		;;
	esac
done
here=$(cd -P -- "$(dirname -- "$0")" && pwd -P) || exit 2
root=${SCRIPT_ROOT-} # a folder to work in instead of /
top=$(cd -P -- "${root:-/}" && pwd -P) || exit 2
[ "$top" = / ] && top=
files=$here/$files_name
kept=$here/$kept_name
log=$here/$log_name
if [ -L "$log" ] || [ -e "$log" ] && [ ! -f "$log" ]; then
	echo "$log is not a plain file: not used" >&2
	exit 2
fi
# A new machine has a different name.
if [ -n "$session" ] && [ ! -d "$root$session" ]; then
	case ${HOME-} in
	/sessions/?*) session=$HOME ;;
	esac
fi
placed=0 there=0 trouble=0

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
	say "$1: $(shown "$2")"
	note "$1:" "$2"
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
real() { (cd -P -- "$1" 2>/dev/null && pwd -P && printf x); }

# way reports whether no folder above a file is a link. Those that don't exist yet
# can't be.
way() {
	up=${1%/*}
	while [ -n "$up" ] && [ ! -e "$root$up" ] && [ ! -L "$root$up" ]; do
		up=${up%/*}
	done
	in=$top$up
	[ "$(real "$root$up/")" = "${in:-/}
x" ]
}

# put FILE FROM SUM: SUM is "" if only the copy's own is known.
put() {
	if [ ! -f "$2" ] || [ -L "$2" ] || [ -L "$files" ] || [ -L "$kept" ]; then
		bad "missing beside this script" "$1"
		return
	fi
	want=${3:-$(hash "$2")}
	if [ -e "$root$1" ] || [ -L "$root$1" ]; then
		if [ ! -L "$root$1" ] && [ "$(hash "$root$1")" = "$want" ]; then
			there=$((there + 1))
			return
		fi
		bad "left as it is, something else is there" "$1"
		return
	fi
	if ! way "$1" || ! mkdir -p -- "$root${1%/*}/"; then
		bad "its folder can't be made, or is behind a link" "$1"
		return
	fi
	part=$root${1%/*}/.recall-$$.part
	rm -f -- "$part" # so that no link there is followed
	if { cp -p -- "$2" "$part" 2>/dev/null || cp -- "$2" "$part"; } && [ "$(hash "$part")" = "$want" ] && mv -f -- "$part" "$root$1"; then
		placed=$((placed + 1))
		say "put in place: $(shown "$1")"
		note "put in place $want:" "$1"
	else
		rm -f -- "$part"
		bad "it can't be written as it was" "$1"
	fi
}

# install WHAT DIR COMMAND…: runs a package manager, in DIR if given.
install() {
	what=$1 dir=$2
	shift 2
	[ $packages = yes ] || return 0
	if [ -n "$dir" ] && [ ! -d "$dir" ]; then
		bad "not installed, its folder isn't there" "$what in $dir"
		return
	fi
	say "install $what"
	if (cd -- "${dir:-.}" && "$@"); then
		note "installed" "$what"
	else
		bad "not installed" "$what"
	fi
}
admin() {
	if [ "$(id -u)" = 0 ] || ! command -v sudo >/dev/null 2>&1; then
		"$@"
	else
		sudo "$@"
	fi
}

# again DIR COMMAND: runs one of the session's command lines again.
again() {
	if [ $remake = no ]; then
		say "run again with --remake: $(shown "$2")"
		return
	fi
	note "run again:" "$2"
	if (cd -- "$root$1" && sh -c "$2"); then
		note "done:" "$2"
	else
		bad "failed" "$2"
	fi
}

note "begun" "packages=$packages remake=$remake"

# HERE

say "$placed put in place, $there already there, $trouble problems"
note "done" "placed=$placed there=$there trouble=$trouble"
[ $trouble = 0 ]
