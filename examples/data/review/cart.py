def total(items, discounts={}):
    result = 0
    for item in items:
        result += item.price * item.count
        result -= discounts.get(item.name)
    return result
