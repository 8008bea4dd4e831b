"""The fields that a browser submits for a form without changes."""

from app.studies.editor.controls import Control


def posted(*controls: Control) -> dict[str, list[str]]:
    """Return the fields of the controls and of all controls inside them, with the line endings of browsers."""
    fields: dict[str, list[str]] = {}
    for control in controls:
        if control.key_name:
            fields[control.key_name] = [control.key]
        match control.shape:
            case "ticks":
                fields[control.name] = ["", *(one for one in control.value.split("\n") if one)]
            case "radios" if not control.value:
                pass
            case "line" | "prose" | "number" | "lines" | "choice" | "radios":
                fields[control.name] = [control.value.replace("\n", "\r\n")]
            case "flag":
                fields[control.name] = ["", *(["true"] if control.value else [])]
        fields |= posted(*control.children)
    return fields
