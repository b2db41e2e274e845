# Nothing is deleted without --apply. The script can be run again at any time.
# What can't be made again is first copied beside this script, and the copy is
# compared with the file, before the file is deleted. A file is left alone if it
# or a folder above it is a link. Every step is logged.
# Packages, caches and other files in a session's home are counted, with their
# sizes. --copy-rest also copies the other files, which are never deleted.
# --release copies them too and, if nothing had to be left alone, frees what comes back:
# - packages that the session installed with apt, pip or uv in a known version,
#   unchanged, which their index still has
# - virtual environments of such packages, which it first lists beside the copies,
#   with a copy of each file that no package has
# - caches that programs fill again
# Rebuild installs the packages and environments again.

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
inside=$here/.recall-$$.inside
free=$here/.recall-$$.free
part=$here/.recall-$$.part
nolink() {
	if [ -L "$1" ]; then
		echo "$1 is a link: not used" >&2
		exit 2
	fi
}
for own in "$ref" "$known" "$list" "$inside" "$free" "$part"; do nolink "$own"; done
trap 'rm -f -- "$ref" "$known" "$list" "$inside" "$free" "$part"' EXIT
trap 'exit 1' HUP INT TERM
echo / >"$known" || exit 2 # file names, one per line
: >"$free" || exit 2       # what can be released, one per line: its kind, KB, and name
copied=0 freed=0 could=0
packages=0 package_kb=0 unsized=0 caches=0 cache_kb=0 others=0 other_bytes=0 homes=0

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
	rm -f -- "$part" # so that no link there is followed
	cp -p -- "$root$1" "$part" 2>/dev/null || cp -- "$root$1" "$part" || return 1
	[ "$(hash "$part")" = "$2" ] && [ "$(hash "$root$1")" = "$2" ] && store "$at" || return 1
	copied=$((copied + 1))
	note "copied $2:" "$1"
}

# store makes $part a file of the copies; another one there gets another name.
store() {
	up=${1%/*}
	while [ ! -e "$up" ] && [ ! -L "$up" ]; do
		up=${up%/*}
	done
	[ "$(real "$up/")" = "$up
x" ] && mkdir -p -- "${1%/*}" || return 1
	if [ -e "$1" ] || [ -L "$1" ]; then
		mv -f -- "$1" "$1.$(hash "$1" | cut -c1-12)" || return 1
	fi
	mv -f -- "$part" "$1"
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

# input FILE: was in the machine before, or a program made it unseen; a folder that was read is skipped.
input() {
	[ -d "$root$1" ] && [ ! -L "$root$1" ] || unique "$1"
}

# python prints, of the package NAME, its KB and version, or of the virtual environment
# in FOLDER its packages and the files that no package has. A version isn't printed, and
# an environment not at all, if a package didn't come from an index, or was changed.
python() {
	python3 -c '
import base64, hashlib, importlib.metadata as metadata, os, sys
name, folder = sys.argv[1:]
own = set()
def intact(d):
    by = d.read_text("INSTALLER") or ""
    if by.strip() not in ("pip", "uv") or d.files is None or d.read_text("direct_url.json"):
        return False
    for f in d.files:
        own.add(os.path.realpath(f.locate()))
        if f.hash:
            digest = hashlib.new(f.hash.mode, f.read_binary()).digest() if f.locate().is_file() else b""
            if base64.urlsafe_b64encode(digest).decode().rstrip("=") != f.hash.value:
                return False
        elif f.suffix != ".pyc" and f.name != "RECORD":
            return False
    return True
if name:
    d = metadata.distribution(name)
    kb = sum(os.path.getsize(f.locate()) for f in d.files or [] if f.locate().exists()) // 1024
    print(kb, d.version if intact(d) else "")
    sys.exit()
lib = os.path.join(folder, "lib")
for site in os.listdir(lib):
    for d in metadata.distributions(path=[os.path.join(lib, site, "site-packages")]):
        if not intact(d):
            sys.exit(1)
        print("package", d.metadata["Name"] + "==" + d.version)
for at, folders, files in os.walk(folder):
    for path in (os.path.join(at, f) for f in folders + files):
        inside = path[len(folder) + 1:]
        if os.path.islink(path):
            if inside != "lib64" and not inside.startswith("bin/python"):
                sys.exit(1)
        elif "\n" in path:
            sys.exit(1)
        elif os.path.isfile(path) and not path.endswith(".pyc") and os.path.realpath(path) not in own:
            print("file", inside)
' "$1" "$2" 2>/dev/null
}

# offered MANAGER NAME VERSION: whether it can be installed again.
offered() {
	case $1 in
	apt) apt-cache madison -- "$2" | tr -d ' ' | grep -qF -- "|$3|" ;;
	*) python3 -m pip index versions --pre -- "$2" | tr -d , | tr ' ' '\n' | grep -qFx -- "$3" ;;
	esac </dev/null 2>/dev/null
}

# package MANAGER NAME VERSION FOLDER: that the session installed, in FOLDER or for the
# whole machine.
package() {
	kb='' has=''
	case $1:$4 in
	apt:)
		kb=$(dpkg-query -W -f '${Installed-Size}' -- "$2" 2>/dev/null)
		# Changed settings stay where they are.
		dpkg --verify -- "$2" 2>/dev/null | grep -qv '^......... c ' ||
			has=$(dpkg-query -W -f '${db:Status-Status} ${Version}' -- "$2" 2>/dev/null)
		has=${has#installed }
		;;
	pip: | uv:)
		kb=$(python "$2" '')
		has=${kb#* } kb=${kb%% *}
		;;
	esac
	packages=$((packages + 1))
	case $kb in
	'' | *[!0-9]*) unsized=$((unsized + 1)) kb='' ;;
	*) package_kb=$((package_kb + kb)) ;;
	esac
	say "installed, ${kb:-?} KB: $(shown "$1 $2 $3")"
	case $2 in *[!A-Za-z0-9._+-]*) return ;; esac
	if [ $release = yes ] && [ -n "$has" ] && [ "$has" = "$3" ] && offered "$1" "$2" "$3"; then
		printf '%s\n' "$1 $kb $2" >>"$free"
	fi
}

# rest HOME FOLDER: other files in a session's home, except what the host shares.
rest() {
	[ "$(real "$root$1/")" = "$top$1
x" ] || return 0
	kept=$here/$2 homes=$((homes + 1))
	(
		cd -P -- "$root$1" && find . -xdev -path ./mnt -prune -o -type d \( -path '*/.cache/*' -o -path '*/.npm/*' \
			-o -name .local -o -name .cargo -o -name .rustup -o -name node_modules -o -name __pycache__ -o -name .venv \
			-o -name venv \) -prune -print -o \( -type f -o -type l \) -print
	) | while IFS= read -r name; do
		case $name in ./*) printf '%s\n' "$1/${name#./}" ;; esac # else it continues a name with a newline in it
	done | grep -Fxv -f "$known" >"$list"
	while IFS= read -r path; do
		if [ -d "$root$path" ] && [ ! -L "$root$path" ]; then
			size=$(du -skx -- "$root$path" 2>/dev/null)
			size=${size%%[!0-9]*}
			size=${size:-0}
			caches=$((caches + 1)) cache_kb=$((cache_kb + size))
			say "cache or packages, $size KB: $(shown "$path")"
			if [ $release = yes ] && refilled "$path"; then
				printf '%s\n' "folder $size $path" >>"$free"
			fi
		elif [ -L "$root$path" ]; then
			say "a link, not copied: $(shown "$path")"
		elif [ -r "$root$path" ] && plain "$path"; then
			size=$(bytes "$path")
			others=$((others + 1)) other_bytes=$((other_bytes + size))
			say "not known to recall, $size bytes: $(shown "$path")"
			[ $copy_rest = no ] || copy "$path"
		else
			others=$((others + 1))
			say "not known to recall, and can't be read: $(shown "$path")"
			[ $copy_rest = no ] || bad "it could not be copied" "$path"
		fi
	done <"$list"
}

copy() {
	plain "$1" && keep "$1" "$(hash "$root$1")" || {
		bad "it could not be copied" "$1"
		return 1
	}
}

# refilled FOLDER: whether what is in it comes back, and is on this disk.
refilled() {
	! grep -qF -- " $(printf %s "$top$1" | sed 's/ /\\040/g')" /proc/self/mountinfo 2>/dev/null || return 1
	case $1 in
	*/.npm/_cacache | */.npm/_logs | */.npm/_npx) ;;
	*/.cache/pip | */.cache/uv | */.cache/pnpm | */.cache/yarn | */.cache/go-build | */.cache/torch | */.cache/whisper) ;;
	*/.cache/ms-playwright | */.cache/matplotlib | */.cache/fontconfig) ;;
	*/__pycache__) [ -z "$(find "$root$1" ! -type d ! -name '*.pyc')" ] ;;
	*/.venv | */venv) environment "$1" ;;
	*) return 1 ;;
	esac
}

# environment FOLDER lists a virtual environment's packages beside the copies, and copies
# what is in none.
environment() {
	python '' "$root$1" >"$inside" || return 1
	while read -r kind what; do
		case $kind in
		file) copy "$1/$what" || return 1 ;;
		package) offered pip "${what%==*}" "${what#*==}" || return 1 ;;
		esac
	done <"$inside"
	sed -n 's/^package //p' "$inside" >"$part" && {
		[ "$(hash "$kept$1/$packages_name")" = "$(hash "$part")" ] || store "$kept$1/$packages_name"
	}
}

# drop FOLDER deletes it by its name in its folder, if that is still the same, and
# nothing that is on another disk.
drop() (
	in=$top${1%/*}
	cd -P -- "$root${1%/*}/" && [ "$(pwd -P && printf x)" = "${in:-/}
x" ] && [ ! -L "./${1##*/}" ] && find "./${1##*/}" -xdev -depth -delete
)

# uninstall MANAGER NAME, by itself.
uninstall() {
	case $1 in
	apt) [ "$(apt-get -s remove -- "$2" | grep -c '^Remv ')" = 1 ] && admin apt-get remove -y -- "$2" ;;
	*) PIP_BREAK_SYSTEM_PACKAGES=1 python3 -m pip uninstall -y -- "$2" ;; # the session broke them
	esac
}

# let_go says what can be released, and with --apply releases it.
let_go() {
	if [ $trouble != 0 ]; then
		bad "nothing is released while something else had to be left alone" "packages and caches"
		return
	fi
	while read -r kind size what; do
		could=$((could + size * 1024))
		if [ $apply = no ]; then
			say "would release, $size KB: $(shown "$what")"
			continue
		fi
		case $kind in
		folder) drop "$what" ;;
		*) uninstall "$kind" "$what" ;;
		esac </dev/null >/dev/null && gone=yes || gone=no
		if [ $gone = no ]; then
			bad "it could not be released" "$what"
			continue
		fi
		freed=$((freed + size * 1024))
		say "released, $size KB: $(shown "$what")"
		note "released:" "$what"
	done <"$free"
}

# sizes prints what was counted.
sizes() {
	say "packages installed: $packages, $package_kb KB and $unsized of unknown size; rebuild installs them again"
	say "caches: $caches, $cache_kb KB; other files: $others, $other_bytes bytes"
	[ $copy_rest = yes ] || say "--copy-rest copies these files"
	[ $release = yes ] || say "--release frees those packages and caches that come back"
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
	say "$copied copied; $could bytes can be freed: sh $0 --apply$([ $release = no ] || echo ' --release')"
else
	say "$copied copied; $freed bytes freed"
fi
note "done" "copied=$copied freed=$freed trouble=$trouble"
[ $trouble = 0 ]
