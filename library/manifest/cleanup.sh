# Nothing is deleted without --apply. The script can be run again at any time.
# What can't be made again is first copied beside this script, and the copy is
# compared with the file, before the file is deleted. A file is left alone if it
# or a folder above it is a link. Every step is logged.
# Packages, caches and other files in a session's home are counted, with their
# sizes. --copy-rest also copies the other files, which are never deleted. --release
# does that too and then frees, if nothing had to be left alone: caches, packages that
# the session installed in a known version, and virtual environments, whose packages
# it lists beside the copies. Rebuild installs these again.

set -u
umask 077
LC_ALL=C
export LC_ALL
unset CDPATH
apply=no copy_rest=no release=no
for arg; do
	case $arg in
	--apply) apply=yes ;;
	--copy-rest) copy_rest=yes ;;
	--release) copy_rest=yes release=yes ;;
	*)
		echo "usage: sh $0 [--apply] [--copy-rest] [--release]" >&2
		exit 2
		;;
	esac
done

# COMMON

ref=$here/.recall-$$.ref
known=$here/.recall-$$.known
list=$here/.recall-$$.list
free=$here/.recall-$$.free
nolink() {
	if [ -L "$1" ]; then
		echo "$1 is a link: not used" >&2
		exit 2
	fi
}
for own in "$ref" "$known" "$list" "$free"; do nolink "$own"; done
trap 'rm -f -- "$ref" "$known" "$list" "$free"' EXIT
trap 'exit 1' HUP INT TERM
echo / >"$known" || exit 2 # file names, one per line
: >"$free" || exit 2       # what can be released, one per line: its kind, KB, and name
copied=0 freed=0 could=0
packages=0 package_kb=0 unsized=0 caches=0 cache_kb=0 others=0 other_bytes=0 homes=0
nl='
'
modules=$nl # folders of packages that the session installed

bad() {
	trouble=$((trouble + 1))
	say "left alone ($1): $(shown "$2")"
	note "left alone, $1:" "$2"
}

# bytes prints the size of a file, 0 if it can't be read.
bytes() { { wc -c <"$root$1" || echo 0; } 2>/dev/null | tr -cd 0-9; }

# plain reports whether a path is a file reached through no link.
plain() {
	[ -f "$root$1" ] && [ ! -L "$root$1" ] || return 1
	in=$top${1%/*}
	[ "$(real "$root${1%/*}/")" = "${in:-/}
x" ]
}

# keep copies a file to the mount and compares the copy.
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
	rm -f -- "$at.part" # so that no link there is followed
	cp -p -- "$root$1" "$at.part" 2>/dev/null || cp -- "$root$1" "$at.part" || return 1
	if [ "$(hash "$at.part")" != "$2" ] || [ "$(hash "$root$1")" != "$2" ]; then
		rm -f -- "$at.part"
		return 1
	fi
	mv -f -- "$at.part" "$at" || return 1
	copied=$((copied + 1))
	note "copied $2:" "$1"
}

# go says that a file can be deleted, and with --apply deletes it: by its name in
# its folder, if that is still the same folder and the same file.
go() {
	size=$(bytes "$1")
	could=$((could + size))
	if [ $apply = no ]; then
		say "would delete, $size bytes, $3: $(shown "$1")"
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

# session FOLDER END begins a session, whose copies go to FOLDER.
session() {
	kept=$here/$1 session_end=$2
	nolink "$kept"
	if [ -n "$session_end" ]; then
		TZ=UTC0 touch -t "$session_end" -- "$ref" || exit 2
	fi
}

# input FILE: was in the machine before; a folder that was read is skipped.
input() {
	[ -d "$root$1" ] && [ ! -L "$root$1" ] || unique "$1"
}

# package MANAGER NAME VERSION FOLDER FLAG: that the session installed, in FOLDER or for
# the whole machine. FLAG is one that pip needed for it.
package() {
	kb='' has=''
	case $1:$4 in
	apt:)
		kb=$(dpkg-query -W -f '${Installed-Size}' -- "$2" 2>/dev/null)
		has=$(dpkg-query -W -f '${Version}' -- "$2" 2>/dev/null)
		;;
	pip:* | uv:*)
		kb=$(python3 -c 'import importlib.metadata as m, sys
print(sum(f.locate().stat().st_size for f in m.files(sys.argv[1]) or [] if f.locate().exists()) // 1024, m.version(sys.argv[1]))' "$2" 2>/dev/null)
		has=${kb#* } kb=${kb%% *}
		;;
	npm:)
		kb=$(cd -- "$(npm root -g 2>/dev/null)/$2" 2>/dev/null && du -sk .) && has=$3
		kb=${kb%%[!0-9]*}
		;;
	npm:* | pnpm:* | yarn:* | bun:*) modules=$modules$4/node_modules$nl ;;
	esac
	packages=$((packages + 1))
	case $kb in
	'' | *[!0-9]*) unsized=$((unsized + 1)) kb='' ;;
	*) package_kb=$((package_kb + kb)) ;;
	esac
	say "installed, ${kb:-?} KB: $(shown "$1 $2 $3")"
	case $2 in *[!A-Za-z0-9@/._+-]*) return ;; esac
	if [ -n "$kb" ] && [ -z "$4" ] && [ -n "$3" ] && [ "$has" = "$3" ]; then
		printf '%s\n' "$1 $kb $2${5:+ $5}" >>"$free"
	fi
}

# rest HOME FOLDER: other files in a session's home, except what the host shares.
rest() {
	[ "$(real "$root$1/")" = "$top$1
x" ] || return 0
	kept=$here/$2 homes=$((homes + 1))
	(
		cd -P -- "$root$1" && find . -xdev -path ./mnt -prune -o -type d \( -name .cache -o -name .local -o -name .npm \
			-o -name .cargo -o -name .rustup -o -name node_modules -o -name __pycache__ -o -name .venv -o -name venv \) \
			-prune -print -o \( -type f -o -type l \) -print
	) | while IFS= read -r name; do
		case $name in ./*) printf '%s\n' "$1/${name#./}" ;; esac # else it continues a name with a newline in it
	done | grep -Fxv -f "$known" >"$list"
	while IFS= read -r path; do
		if [ -d "$root$path" ] && [ ! -L "$root$path" ]; then
			size=$(du -sk -- "$root$path" 2>/dev/null)
			size=${size%%[!0-9]*}
			size=${size:-0}
			caches=$((caches + 1)) cache_kb=$((cache_kb + size))
			say "cache or packages, $size KB: $(shown "$path")"
			if again=$(restorable "$path"); then
				printf '%s\n' "$again $size $path" >>"$free"
			fi
			continue
		fi
		if plain "$path" && [ -r "$root$path" ]; then
			size=$(bytes "$path")
			others=$((others + 1)) other_bytes=$((other_bytes + size))
			say "not known to recall, $size bytes: $(shown "$path")"
			if [ $copy_rest = yes ] && ! keep "$path" "$(hash "$root$path")"; then
				bad "it could not be copied" "$path"
			fi
		elif [ -L "$root$path" ]; then
			say "a link, not copied: $(shown "$path")"
		else
			others=$((others + 1))
			say "not known to recall, and can't be read: $(shown "$path")"
			[ $copy_rest = no ] || bad "it could not be copied" "$path"
		fi
	done <"$list"
}

# restorable FOLDER: how what is in it comes back. The packages of a virtual environment
# are listed beside the copies first.
restorable() {
	case $1 in
	*/.cache | */.npm | */__pycache__) echo cache ;;
	*/node_modules)
		case $modules in *"$nl$1$nl"*) echo modules ;; *) return 1 ;; esac
		;;
	*/.venv | */venv)
		[ $release = yes ] && has=$("$root$1/bin/python" -m pip freeze </dev/null 2>/dev/null) || return 1
		case $has in *' @ file:'* | *'-e '*) return 1 ;; esac # from here, not from an index
		[ "$(real "$here/")" = "$here
x" ] && mkdir -p -- "$kept$1" && printf '%s\n' "$has" >"$kept$1/recall-packages.txt" && echo environment
		;;
	*) return 1 ;;
	esac
}

# drop FOLDER deletes it by its name in its folder, if that is still the same.
drop() (
	in=$top${1%/*}
	cd -P -- "$root${1%/*}/" && [ "$(pwd -P && printf x)" = "${in:-/}
x" ] && [ ! -L "./${1##*/}" ] && rm -rf -- "./${1##*/}"
)

# uninstall KIND NAME FLAG
uninstall() {
	case $1 in
	apt) [ "$(apt-get -s remove -- "$2" | grep -c '^Remv ')" = 1 ] && admin apt-get remove -y -- "$2" ;; # alone
	pip) python3 -m pip uninstall -y ${3:+"$3"} -- "$2" ;;
	uv) uv pip uninstall --system -- "$2" ;;
	npm) npm uninstall -g -- "$2" ;;
	esac
}

# let_go says what can be released, and with --apply releases it.
let_go() {
	if [ $apply = yes ] && [ $trouble != 0 ]; then
		bad "nothing is released while something else had to be left alone" "packages and caches"
		return
	fi
	while read -r kind size what; do
		if [ $apply = no ]; then
			could=$((could + size * 1024))
			say "would release, $size KB: $(shown "$what")"
			continue
		fi
		case $kind in
		cache | modules | environment) drop "$what" ;;
		*) uninstall "$kind" $what ;; # a name without spaces, and a flag
		esac </dev/null >/dev/null && left=no || left=yes
		if [ $left = yes ]; then
			bad "it could not be released" "$what"
			continue
		fi
		freed=$((freed + size * 1024))
		say "released, $size KB: $(shown "$what")"
		note "released, $kind:" "$what"
	done <"$free"
}

# sizes prints what was counted.
sizes() {
	say "packages installed: $packages, $package_kb KB and $unsized of unknown size; rebuild installs them again"
	say "caches: $caches, $cache_kb KB; other files: $others, $other_bytes bytes$([ $copy_rest = yes ] || echo '; --copy-rest copies these')"
	note "counted" "packages=$packages caches=$caches others=$others"
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

# again FILE SUM: can be made again, with this SUM if known.
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

# seen checks a file and computes its sum.
seen() {
	printf '%s\n' "$1" >>"$known"
	if [ ! -e "$root$1" ] && [ ! -L "$root$1" ]; then
		return 1
	fi
	if ! plain "$1"; then
		bad "it is not a plain file, or is behind a link" "$1"
		return 1
	fi
	now=$(hash "$root$1")
	if [ -z "$now" ]; then
		bad "it can't be read" "$1"
		return 1
	fi
}

# changed reports whether a file was, or might have been, written after the session.
changed() {
	[ -z "$session_end" ] || [ -n "$(find "$root$1" -prune -newer "$ref")" ]
}

note "begun" "apply=$apply"

# HERE

sizes
[ $release = no ] || [ $homes = 0 ] || let_go # else this isn't the session's machine
if [ $apply = no ]; then
	say "$copied copied; $could bytes can be freed: sh $0 --apply"
else
	say "$copied copied; $freed bytes freed"
fi
note "done" "copied=$copied freed=$freed trouble=$trouble"
[ $trouble = 0 ]
