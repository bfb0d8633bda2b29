from tests.web.accessible import violations


def test_axe_finds_nothing_where_nothing_is_found(tab, demo):
    assert violations(tab, demo + "/runs?q=nothing-like-it") == []


def test_runs_link_to_themselves_and_can_be_sorted(tab, demo):
    tab.goto(demo + "/runs")
    tab.get_by_role("link", name="State").click()
    tab.wait_for_load_state()

    assert tab.url.endswith("?sort=state")
    assert tab.locator("th[aria-sort=ascending]").inner_text().strip() == "State"
    assert tab.locator("tbody tr").count() == 1


def test_the_theme_is_kept(tab, demo):
    tab.goto(demo + "/")
    with tab.expect_navigation():
        tab.locator("#theme").select_option("dark")

    assert tab.locator("html").get_attribute("data-theme") == "dark"
