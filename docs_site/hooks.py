"""What the static site adds to the pages of `docs/`: its navigation, pages of the root, and a gallery of templates."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

import yaml
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = ROOT / "app" / "study_templates"
THUMBNAILS = ROOT / "static" / "studies" / "thumbnails"
OF_ROOT = ("CONTRIBUTING", "CHANGELOG", "SECURITY")
GALLERY = "gallery.md"
DISK_WORKER = "assets/javascripts/disk-worker.js"
_SHIM = re.compile(r"<script[^>]*iframe-worker[^>]*></script>")
_GROUP = re.compile(r"^## (.+)$")
_ENTRY = re.compile(r"^\| \[([^\]]+)\]\(([^)#]+\.md)\) \|")
# A picture of a light page, which has one of the dark page beside it.
_LIGHT = re.compile(r"!\[([^\]]+)\]\((\S+)\.light\.webp\)")
# A link as Markdown writes it, but not in code.
_LINK = re.compile(r"(?<![!`])\[([^\]]+)\]\(([^)\s]+)\)")


def on_config(config: Any) -> Any:  # noqa: ANN401 - of MkDocs
    """Take the navigation from the index of the documentation."""
    nav: list[dict[str, Any]] = [{"Documentation": "README.md"}]
    for line in (ROOT / "docs" / "README.md").read_text(encoding="utf-8").splitlines():
        if group := _GROUP.match(line):
            nav.append({group[1]: []})
        elif row := _ENTRY.match(line):
            pages = next(iter(nav[-1].values()))
            pages.append({row[1]: row[2].removeprefix("../")})
            if row[2] == "templates.md":
                pages.append({"Gallery of templates": GALLERY})
    nav[-2]["Contribute"].append({"Security of the product": "SECURITY.md"})
    config["nav"] = nav
    return config


def on_files(files: Files, config: Any) -> Files:  # noqa: ANN401 - of MkDocs
    """Add the pages of the root, the gallery, its pictures and the styles of the site."""
    for name in OF_ROOT:
        text = (ROOT / f"{name}.md").read_text(encoding="utf-8")
        files.append(File.generated(config, f"{name}.md", content=re.sub(r"\]\(docs/", "](", text)))
    files.append(File.generated(config, GALLERY, content=gallery()))
    files.append(File.generated(config, "site.css", abs_src_path=str(Path(__file__).with_name("site.css"))))
    for picture in sorted(THUMBNAILS.glob("*.webp")):
        files.append(File.generated(config, f"pictures/templates/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401 - of MkDocs
    """Keep links inside the site, where those to the code become text; show pictures as light or dark as the page."""
    depth = page.file.src_uri.count("/")

    def inside(link: re.Match[str]) -> str:
        text, target = link[1], link[2]
        path = target.partition("#")[0]
        if "://" in target or not path:
            return link[0]
        up = path.count("../") - depth
        if up == 1 and Path(path).stem in OF_ROOT:
            return f"[{text}]({'../' * depth}{target.rpartition('../')[2]})"
        is_of_root = page.file.src_uri.removesuffix(".md") in OF_ROOT
        leads_out = up > 0 or (is_of_root and not (ROOT / "docs" / path).exists() and Path(path).stem not in OF_ROOT)
        return text if leads_out else link[0]

    both = r"![\1](\2.light.webp#only-light)![\1](\2.dark.webp#only-dark)"
    return _LINK.sub(inside, _LIGHT.sub(both, markdown))


def gallery() -> str:
    """Each template with its picture, what it is for, and whose design it follows."""
    templates = yaml.safe_load((TEMPLATES / "index.yaml").read_text(encoding="utf-8"))
    cards = json.loads((TEMPLATES / "cards.json").read_text(encoding="utf-8"))
    found = []
    for name, told in templates.items():
        title = html.escape(cards[name]["title"])
        pictures = "".join(
            f'<img src="pictures/templates/{name}.{look}.webp#only-{look}" alt="Rating page: {title}" loading="lazy">'
            for look in ("light", "dark")
        )
        found.append(
            f'<div>{pictures}\n<p><a href="templates.html#{name}">{title}</a></p>\n'
            f"<p>{html.escape(told['purpose'])}</p>\n<p>{html.escape(told['source'])}</p></div>"
        )
    cells = "\n".join(found)
    return (
        "# Gallery of templates\n\n"
        "Published designs to start from: `attune study new NAME`, or *New study* in the browser. "
        f'[Study templates](templates.md) describes each.\n\n<div class="gallery">\n{cells}\n</div>\n'
    )


def on_post_page(output: str, page: Any, **_: object) -> str:  # noqa: ANN401 - of MkDocs
    """Let search work from the disk by a script of the site instead of one from another server."""
    up = "../" * page.file.src_uri.count("/")
    return _SHIM.sub(f'<script src="{up}{DISK_WORKER}"></script>', output)


def _write_disk_worker(site: Path) -> None:
    """Browsers start no worker from a file, but from text that a script brings along."""
    (worker,) = site.glob("assets/javascripts/workers/search.*.min.js")
    source = json.dumps(re.sub(r"//# sourceMappingURL=.*", "", worker.read_text(encoding="utf-8")))
    script = f"""if (location.protocol === "file:") {{
  const source = URL.createObjectURL(new Blob([{source}], {{ type: "text/javascript" }}));
  const Native = Worker;
  window.Worker = function () {{ return new Native(source); }};
}}
"""
    (site / DISK_WORKER).write_text(script, encoding="utf-8")


def on_post_build(config: Any, **_: object) -> None:  # noqa: ANN401 - of MkDocs
    """Complete the site, check every link, and that no page loads anything from elsewhere.

    Raises:
        SystemExit: a link leads nowhere, or a page would ask another server.
    """
    site = Path(config["site_dir"])
    _write_disk_worker(site)
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html") if path.name != "404.html"}
    anchors = {path: set(re.findall(r'\bid="?([^"\s>]+)', text)) for path, text in pages.items()}
    broken = []
    for path, text in pages.items():
        for kind, target in re.findall(r'<(\w+)[^>]*?\s(?:href|src)="?([^"\s>]+)', text):
            where, _, anchor = html.unescape(target).partition("#")
            if "://" in where or where.startswith(("mailto:", "data:")):
                broken += [(path.name, target)] * (kind in {"script", "img", "link"} and "://" in where)
                continue
            there = (path.parent / where).resolve() if where else path
            is_picture = anchor.startswith("only-")
            if not there.exists() or (anchor and not is_picture and anchor not in anchors.get(there, {"__codelineno"})):
                broken.append((path.name, target))
    if broken:
        raise SystemExit(f"{len(broken)} links of the site lead nowhere: {sorted(set(broken))[:20]}")
