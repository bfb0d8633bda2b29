"""The invoice of an order as text. All money is in whole cents."""


def invoice(order):
    """The invoice of an order, a mapping; ValueError says what is wrong with the order."""
    if not isinstance(order, dict):
        raise ValueError("an order is a mapping")
    number = order.get("number")
    if not isinstance(number, str) or not number.strip():
        raise ValueError("the order has no number")
    customer = order.get("customer")
    if not isinstance(customer, dict):
        raise ValueError("the order has no customer")
    name = customer.get("name")
    if not isinstance(name, str) or not name.strip():
        raise ValueError("the customer has no name")
    country = customer.get("country", "DE")
    if country not in ("DE", "FR", "CH", "US"):
        raise ValueError("we do not deliver to " + str(country))
    items = order.get("items")
    if not isinstance(items, list) or len(items) == 0:
        raise ValueError("the order has no items")
    lines = []
    lines.append("INVOICE " + number.strip())
    lines.append("=" * 48)
    lines.append("To: " + name.strip())
    if customer.get("company"):
        lines.append("    " + customer["company"])
    lines.append("    " + country)
    lines.append("")
    subtotal = 0
    weight = 0
    points = 0
    books = 0
    by_rate = {}
    place = 0
    for item in items:
        place = place + 1
        if not isinstance(item, dict):
            raise ValueError("item " + str(place) + " is not a mapping")
        title = item.get("title", "")
        if not isinstance(title, str) or title == "":
            raise ValueError("item " + str(place) + " has no title")
        price = item.get("price")
        if not isinstance(price, int) or isinstance(price, bool) or price < 0:
            raise ValueError("item " + str(place) + " has no price")
        count = item.get("count", 1)
        if not isinstance(count, int) or isinstance(count, bool) or count < 1:
            raise ValueError("item " + str(place) + " has no count")
        kind = item.get("kind", "other")
        if kind == "book":
            books = books + count
        # price of the line, with the discount for many
        amount = price * count
        if count >= 100:
            cut = amount * 15 // 100
        elif count >= 20:
            cut = amount * 10 // 100
        elif count >= 5:
            cut = amount * 5 // 100
        else:
            cut = 0
        if kind == "book" and country in ("DE", "FR"):
            cut = 0
        # the rate of tax
        if country == "DE":
            if kind == "book" or kind == "food":
                rate = 70
            else:
                rate = 190
        elif country == "FR":
            if kind == "book" or kind == "food":
                rate = 55
            else:
                rate = 200
        elif country == "CH":
            if kind == "book" or kind == "food":
                rate = 26
            else:
                rate = 81
        else:
            rate = 0
        if customer.get("tax_number") and country in ("FR", "DE") and country != "DE":
            rate = 0
        net = amount - cut
        subtotal = subtotal + net
        if rate not in by_rate:
            by_rate[rate] = 0
        by_rate[rate] = by_rate[rate] + net
        weight = weight + item.get("grams", 0) * count
        if kind != "voucher":
            points = points + net // 100
        # the line as text
        shown = title
        if len(shown) > 24:
            shown = shown[:23] + "~"
        text = str(place).rjust(2) + " " + shown.ljust(24) + " " + str(count).rjust(4)
        euros = str(amount // 100) + "." + str(amount % 100).rjust(2, "0")
        lines.append(text + euros.rjust(16))
        if cut > 0:
            euros = "-" + str(cut // 100) + "." + str(cut % 100).rjust(2, "0")
            if count >= 100:
                lines.append("   15 % for a hundred".ljust(32) + euros.rjust(16))
            elif count >= 20:
                lines.append("   10 % for twenty".ljust(32) + euros.rjust(16))
            else:
                lines.append("   5 % for five".ljust(32) + euros.rjust(16))
    lines.append("-" * 48)
    # a coupon is taken off in proportion from what each rate applies to
    coupon = order.get("coupon")
    off = 0
    if coupon is not None:
        if coupon == "WELCOME":
            if customer.get("orders_before", 0) == 0:
                off = min(500, subtotal)
            else:
                lines.append("Coupon WELCOME is for the first order")
        elif coupon == "READER":
            if books >= 3:
                off = subtotal * 3 // 100
            else:
                lines.append("Coupon READER needs three books")
        elif coupon == "HALF":
            if subtotal >= 20000:
                off = min(subtotal // 2, 15000)
            else:
                lines.append("Coupon HALF needs 200.00")
        else:
            lines.append("Coupon " + str(coupon) + " is unknown")
        if off > 0:
            left = off
            rates = sorted(by_rate)
            for rate in rates[:-1]:
                part = off * by_rate[rate] // subtotal
                by_rate[rate] = by_rate[rate] - part
                left = left - part
            by_rate[rates[-1]] = by_rate[rates[-1]] - left
            euros = "-" + str(off // 100) + "." + str(off % 100).rjust(2, "0")
            lines.append(("Coupon " + coupon).ljust(32) + euros.rjust(16))
    # delivery
    if order.get("pickup"):
        delivery = 0
        lines.append("Picked up at the shop".ljust(32) + "0.00".rjust(16))
    else:
        if country == "DE":
            if subtotal - off >= 4900:
                delivery = 0
            elif weight > 5000:
                delivery = 990
            else:
                delivery = 490
        elif country == "FR":
            if subtotal - off >= 9900:
                delivery = 0
            elif weight > 5000:
                delivery = 1690
            else:
                delivery = 890
        elif country == "CH":
            delivery = 1290
            if weight > 5000:
                delivery = delivery + 300 * ((weight - 5000 + 999) // 1000)
        else:
            delivery = 2490
            if weight > 2000:
                delivery = delivery + 700 * ((weight - 2000 + 999) // 1000)
        if order.get("express"):
            delivery = delivery * 2
            if delivery == 0:
                delivery = 590
        euros = str(delivery // 100) + "." + str(delivery % 100).rjust(2, "0")
        if order.get("express"):
            lines.append("Express delivery".ljust(32) + euros.rjust(16))
        else:
            lines.append("Delivery".ljust(32) + euros.rjust(16))
    # tax, half a cent goes up; delivery is taxed like most of the goods
    if delivery > 0:
        most = None
        for rate in sorted(by_rate):
            if most is None or by_rate[rate] >= by_rate[most]:
                most = rate
        by_rate[most] = by_rate[most] + delivery
    tax = 0
    for rate in sorted(by_rate):
        if rate == 0:
            continue
        part = (by_rate[rate] * rate * 2 + 1000) // 2000
        tax = tax + part
        percent = str(rate // 10)
        if rate % 10:
            percent = percent + "." + str(rate % 10)
        euros = str(part // 100) + "." + str(part % 100).rjust(2, "0")
        lines.append(("Tax " + percent + " %").ljust(32) + euros.rjust(16))
    if customer.get("tax_number") and country == "FR":
        lines.append("Tax is owed by the customer, " + customer["tax_number"])
    total = subtotal - off + delivery + tax
    lines.append("=" * 48)
    euros = str(total // 100) + "." + str(total % 100).rjust(2, "0")
    if country == "CH":
        # what is paid in cash there ends in 0 or 5
        rounded = (total + 2) // 5 * 5
        if rounded != total:
            lines.append("To pay".ljust(32) + euros.rjust(16))
            euros = str(rounded // 100) + "." + str(rounded % 100).rjust(2, "0")
            lines.append("In cash".ljust(32) + euros.rjust(16))
        else:
            lines.append("To pay".ljust(32) + euros.rjust(16))
    else:
        lines.append("To pay".ljust(32) + euros.rjust(16))
    if customer.get("member"):
        if order.get("express"):
            points = points * 2
        points = points + 5 * books
        lines.append("You earn " + str(points) + (" point" if points == 1 else " points"))
    if order.get("note"):
        lines.append("")
        rest = " ".join(str(order["note"]).split())
        while len(rest) > 48:
            cut_at = rest.rfind(" ", 0, 49)
            if cut_at <= 0:
                cut_at = 48
            lines.append(rest[:cut_at].rstrip())
            rest = rest[cut_at:].lstrip()
        lines.append(rest)
    return "\n".join(lines) + "\n"
