
# Restores everything: packages in the same versions, then files, each compared
# with its sum, and what cleanup kept beside this script. A file that exists is left
# as it is. Commands are run again only with --remake. The script can be run again at
# any time.

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

# COMMON

files=$here/$files_name
kept=$here/$kept_name
list=$here/.recall-$$.list
if [ -L "$list" ]; then
	echo "$list is a link: not used" >&2
	exit 2
fi
trap 'rm -f -- "$list"' EXIT
trap 'exit 1' HUP INT TERM
# A new machine has a different name.
if [ -n "$session" ] && [ ! -d "$root$session" ]; then
	case ${HOME-} in
	/sessions/?*) session=$HOME ;;
	esac
fi
placed=0 there=0

bad() {
	trouble=$((trouble + 1))
	say "$1: $(shown "$2")"
	note "$1:" "$2"
}

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

# back FOLDER NOW: what cleanup kept of it, to where it is NOW.
back() {
	[ -d "$kept$1" ] && [ ! -L "$kept" ] && [ "$(real "$kept$1/")" = "$kept$1
x" ] || return 0
	(cd -P -- "$kept$1" && find . -type f) | while IFS= read -r name; do
		case $name in ./*) printf '%s\n' "${name#./}" ;; esac # else it continues a name with a newline in it
	done >"$list"
	while IFS= read -r name; do
		case $name in */$packages_name) environment "$kept$1/$name" "$2/${name%/*}" ;; esac
	done <"$list"
	while IFS= read -r name; do
		from=$kept$1/$name
		case $name in
		*/$packages_name) continue ;;
		*.????????????) [ "$(hash "$from" | cut -c1-12)" != "${name##*.}" ] || continue ;; # an older copy
		esac
		[ ! -f "$from" ] || [ -e "$root$2/$name" ] || put "$2/$name" "$from" ''
	done <"$list"
}

# environment LIST FOLDER makes a virtual environment with the packages of LIST.
environment() {
	[ $packages = yes ] && [ ! -e "$root$2" ] && [ ! -L "$root$2" ] && way "$2" || return 0
	all=$(grep -qs '^include-system-site-packages = true' "${1%/*}/pyvenv.cfg" && echo --system-site-packages)
	install "virtual environment $(shown "$2")" '' python3 -m venv $all "$root$2" &&
		install "its packages" "$root$2" bin/python -m pip install -r "$1" || rm -rf -- "$root$2"
}

# install WHAT DIR COMMAND…: runs a package manager, in DIR if given.
install() {
	what=$1 dir=$2
	shift 2
	[ $packages = yes ] || return 0
	if [ -n "$dir" ] && [ ! -d "$dir" ]; then
		bad "not installed, its folder isn't there" "$what in $dir"
		return 1
	fi
	say "install $what"
	if (cd -- "${dir:-.}" && "$@"); then
		note "installed" "$what"
	else
		bad "not installed" "$what"
		return 1
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
