"""The invoice of an order as text. All money is in whole cents."""

WIDTH = 48
COUNTRIES = ("DE", "FR", "CH", "US")
LOW_RATE = {"DE": 70, "FR": 55, "CH": 26, "US": 0}
FULL_RATE = {"DE": 190, "FR": 200, "CH": 81, "US": 0}
FOR_MANY = ((100, 15, "a hundred"), (20, 10, "twenty"), (5, 5, "five"))
FREE_FROM = {"DE": 4900, "FR": 9900}
LIGHT_AND_HEAVY = {"DE": (490, 990), "FR": (890, 1690)}
BY_WEIGHT = {"CH": (1290, 5000, 300), "US": (2490, 2000, 700)}
HEAVY_G = 5000


def invoice(order):
    """The invoice of an order, a mapping; ValueError says what is wrong with the order."""
    number, customer, country = _checked(order)
    goods = [_good(at, item, country) for at, item in enumerate(order["items"], start=1)]
    subtotal = sum(one["net"] for one in goods)
    by_rate = _sums_by_rate(goods, _is_tax_free(customer, country))
    lines = _head(number, customer, country)
    for one in goods:
        lines += _good_lines(one)
    lines.append("-" * WIDTH)
    off, said = _coupon(order.get("coupon"), customer, goods, subtotal)
    lines += said
    _take_off(by_rate, off, subtotal)
    delivery = _delivery(order, country, subtotal - off, goods)
    lines.append(_row(_delivery_name(order), delivery))
    _add_delivery(by_rate, delivery)
    taxes = _taxes(by_rate)
    lines += [_row(f"Tax {_percent(rate)} %", part) for rate, part in taxes]
    if _is_tax_free(customer, country):
        lines.append(f"Tax is owed by the customer, {customer['tax_number']}")
    lines.append("=" * WIDTH)
    lines += _to_pay(subtotal - off + delivery + sum(part for _, part in taxes), country)
    lines += _points(order, customer, goods)
    lines += _note(order.get("note"))
    return "\n".join(lines) + "\n"


def _checked(order):
    """Number, customer and country of an order that has them, and items."""
    if not isinstance(order, dict):
        raise ValueError("an order is a mapping")
    number = order.get("number")
    if not _is_text(number):
        raise ValueError("the order has no number")
    customer = order.get("customer")
    if not isinstance(customer, dict):
        raise ValueError("the order has no customer")
    if not _is_text(customer.get("name")):
        raise ValueError("the customer has no name")
    country = customer.get("country", "DE")
    if country not in COUNTRIES:
        raise ValueError(f"we do not deliver to {country}")
    items = order.get("items")
    if not isinstance(items, list) or not items:
        raise ValueError("the order has no items")
    return number.strip(), customer, country


def _is_text(value):
    return isinstance(value, str) and bool(value.strip())


def _is_whole(value, least):
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def _is_tax_free(customer, country):
    """Whether a firm abroad owes the tax itself."""
    return bool(customer.get("tax_number")) and country == "FR"


def _good(at, item, country):
    """One item with everything that follows from it alone."""
    if not isinstance(item, dict):
        raise ValueError(f"item {at} is not a mapping")
    title, price, count = item.get("title", ""), item.get("price"), item.get("count", 1)
    if not isinstance(title, str) or title == "":
        raise ValueError(f"item {at} has no title")
    if not _is_whole(price, 0):
        raise ValueError(f"item {at} has no price")
    if not _is_whole(count, 1):
        raise ValueError(f"item {at} has no count")
    kind = item.get("kind", "other")
    amount = price * count
    share, words = _for_many(count, kind, country)
    cut = amount * share // 100
    return {
        "at": at,
        "title": title,
        "count": count,
        "kind": kind,
        "amount": amount,
        "cut": cut,
        "cut_words": f"   {share} % for {words}",
        "net": amount - cut,
        "rate": (LOW_RATE if kind in ("book", "food") else FULL_RATE)[country],
        "grams": item.get("grams", 0) * count,
    }


def _for_many(count, kind, country):
    """The discount in percent and what it is for; prices of books are fixed in some countries."""
    if kind == "book" and country in ("DE", "FR"):
        return 0, ""
    for least, share, words in FOR_MANY:
        if count >= least:
            return share, words
    return 0, ""


def _sums_by_rate(goods, is_tax_free):
    sums = {}
    for one in goods:
        rate = 0 if is_tax_free else one["rate"]
        sums[rate] = sums.get(rate, 0) + one["net"]
    return sums


def _money(cents):
    return f"{cents // 100}.{cents % 100:02}"


def _row(words, cents, sign=""):
    return words.ljust(32) + (sign + _money(cents)).rjust(16)


def _head(number, customer, country):
    company = [f"    {customer['company']}"] if customer.get("company") else []
    name = f"To: {customer['name'].strip()}"
    return [f"INVOICE {number}", "=" * WIDTH, name, *company, f"    {country}", ""]


def _good_lines(one):
    title = one["title"] if len(one["title"]) <= 24 else one["title"][:23] + "~"
    words = f"{one['at']:>2} {title:<24} {one['count']:>4}"
    yield words + _money(one["amount"]).rjust(16)
    if one["cut"] > 0:
        yield _row(one["cut_words"], one["cut"], "-")


def _coupon(coupon, customer, goods, subtotal):
    """What a coupon takes off, and the lines that say so."""
    if coupon is None:
        return 0, []
    books = _books(goods)
    rules = {
        "WELCOME": (
            customer.get("orders_before", 0) == 0,
            min(500, subtotal),
            "is for the first order",
        ),
        "READER": (books >= 3, subtotal * 3 // 100, "needs three books"),
        "HALF": (subtotal >= 20000, min(subtotal // 2, 15000), "needs 200.00"),
    }
    known = isinstance(coupon, str) and coupon in rules
    applies, off, otherwise = rules[coupon] if known else (False, 0, "is unknown")
    if not applies:
        return 0, [f"Coupon {coupon} {otherwise}"]
    return off, [_row(f"Coupon {coupon}", off, "-")] if off > 0 else []


def _books(goods):
    return sum(one["count"] for one in goods if one["kind"] == "book")


def _take_off(by_rate, off, subtotal):
    """Take the coupon off in proportion; the highest rate bears what rounding leaves."""
    if off <= 0:
        return
    *others, last = sorted(by_rate)
    left = off
    for rate in others:
        part = off * by_rate[rate] // subtotal
        by_rate[rate] -= part
        left -= part
    by_rate[last] -= left


def _delivery(order, country, worth, goods):
    if order.get("pickup"):
        return 0
    grams = sum(one["grams"] for one in goods)
    if country in BY_WEIGHT:
        price, free, step = BY_WEIGHT[country]
        price += step * max(0, (grams - free + 999) // 1000)
    elif worth >= FREE_FROM[country]:
        price = 0
    else:
        price = LIGHT_AND_HEAVY[country][grams > HEAVY_G]
    return (price * 2 or 590) if order.get("express") else price


def _delivery_name(order):
    if order.get("pickup"):
        return "Picked up at the shop"
    return "Express delivery" if order.get("express") else "Delivery"


def _add_delivery(by_rate, delivery):
    """Delivery is taxed like most of the goods, at the higher rate when there are as many."""
    if delivery > 0:
        by_rate[max(by_rate, key=lambda rate: (by_rate[rate], rate))] += delivery


def _taxes(by_rate):
    """Each rate with its tax; half a cent goes up."""
    return [(rate, round(by_rate[rate] * rate / 1000)) for rate in sorted(by_rate) if rate]


def _percent(rate):
    return f"{rate // 10}.{rate % 10}" if rate % 10 else str(rate // 10)


def _to_pay(total, country):
    """The total, and in Switzerland what is paid in cash, which ends in 0 or 5."""
    yield _row("To pay", total)
    in_cash = (total + 2) // 5 * 5
    if country == "CH" and in_cash != total:
        yield _row("In cash", in_cash)


def _points(order, customer, goods):
    if not customer.get("member"):
        return
    points = sum(one["net"] // 100 for one in goods if one["kind"] != "voucher")
    points = points * (2 if order.get("express") else 1) + 5 * _books(goods)
    yield f"You earn {points} {'point' if points == 1 else 'points'}"


def _note(note):
    """A note, its spaces made one, in lines that fit."""
    if not note:
        return
    yield ""
    rest = " ".join(str(note).split())
    while len(rest) > WIDTH:
        at = rest.rfind(" ", 0, WIDTH + 1)
        at = at if at > 0 else WIDTH
        yield rest[:at].rstrip()
        rest = rest[at:].lstrip()
    yield rest
