"""A reader's preferences for this browser."""

from typing import Annotated, ClassVar

from fastapi import APIRouter, Form
from fastapi.responses import RedirectResponse

from benchmaker.errors import SpecError
from benchmaker.plugins import web_page
from benchmaker.web.form_body import own_address
from benchmaker.web.rendering import KEYS_COOKIE, THEME_COOKIE, THEMES

router = APIRouter(include_in_schema=False)


@web_page(id="preferences")
class PreferencesPage:
    """Theme and keys of a browser."""

    routes: ClassVar = router


_A_YEAR_S = 365 * 86_400


@router.post("/preferences/theme")
def choose_theme(
    theme: Annotated[str, Form()], back: Annotated[str, Form()] = "/"
) -> RedirectResponse:
    """Keep the theme, and go back to the page."""
    if theme not in THEMES:
        raise SpecError(f"There is no theme {theme!r}.", hint=f"Choose {', '.join(THEMES)}.")
    answer = RedirectResponse(own_address(back), 303)
    answer.set_cookie(THEME_COOKIE, theme, max_age=_A_YEAR_S, samesite="strict", path="/")
    return answer


@router.post("/preferences/keys")
def switch_keys(
    keys: Annotated[str, Form()] = "off", back: Annotated[str, Form()] = "/keys"
) -> RedirectResponse:
    """Switch single-key shortcuts on or off; WCAG 2.1.4 requires the choice."""
    if keys not in {"on", "off"}:
        raise SpecError(f"invalid value for keys: {keys!r}.", hint="Choose on or off.")
    answer = RedirectResponse(own_address(back), 303)
    answer.set_cookie(KEYS_COOKIE, keys, max_age=_A_YEAR_S, samesite="strict", path="/")
    return answer
