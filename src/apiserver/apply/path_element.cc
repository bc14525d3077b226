#include "src/apiserver/apply/path_element.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "src/meta/go_quoted.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// Nesting limit for the value of a key or element in FieldsV1. Real ones are scalars.
constexpr std::size_t kMaxElementDepth = 32;
constexpr double kMaxExact = 1e15;

int Sign(int compared) { return compared < 0 ? -1 : compared > 0 ? 1 : 0; }

int Rank(const json& value) {
  switch (value.type()) {
    case json::value_t::number_float:
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return 0;
    case json::value_t::string:
      return 1;
    case json::value_t::boolean:
      return 2;
    case json::value_t::array:
      return 3;
    case json::value_t::object:
      return 4;
    default:
      return 5;
  }
}

int CompareNumbers(const json& a, const json& b) {
  // nlohmann's < compares signed, unsigned and floating-point numbers correctly.
  if (a < b) return -1;
  return b < a ? 1 : 0;
}

int CompareLists(const json& a, const json& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const int c = CompareJson(a[i], b[i]); c != 0) return c;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

int CompareObjects(const json& a, const json& b) {
  auto i = a.begin();
  auto j = b.begin();
  for (; i != a.end() && j != b.end(); ++i, ++j) {
    if (const int c = i.key().compare(j.key()); c != 0) return Sign(c);
    if (const int c = CompareJson(*i, *j); c != 0) return c;
  }
  return i != a.end() ? 1 : j != b.end() ? -1 : 0;
}

int CompareKeys(const KeyFields& a, const KeyFields& b) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (const int c = a[i].first.compare(b[i].first); c != 0) return Sign(c);
    if (const int c = CompareJson(a[i].second, b[i].second); c != 0) return c;
  }
  return a.size() < b.size() ? -1 : a.size() > b.size() ? 1 : 0;
}

/// JSON as Go writes it: <, > and & escaped, integral numbers without a fraction.
void AppendJson(const json& value, std::string& out) {
  if (value.is_number_float()) {
    const double number = value.get<double>();
    if (std::trunc(number) == number && std::abs(number) < kMaxExact) {
      out += std::to_string(static_cast<std::int64_t>(number));
      return;
    }
  }
  const std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "\\u003c";
        break;
      case '>':
        out += "\\u003e";
        break;
      case '&':
        out += "\\u0026";
        break;
      default:
        out += c;
    }
  }
}

std::string ForMessage(const json& value) {
  if (value.is_string()) return internal::GoQuoted(value.get_ref<const std::string&>());
  std::string out;
  AppendJson(value, out);
  return out;
}

bool TooDeep(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxElementDepth) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

Error Bad(std::string_view text, std::string_view why) {
  return {.code = ErrorCode::kMalformed,
          .message = "parsing key as path element: " + std::string(why) + ": " + std::string(text.substr(0, 128))};
}

}  // namespace

int CompareJson(const json& a, const json& b) {
  const int rank = Rank(a);
  if (const int other = Rank(b); rank != other) return rank < other ? -1 : 1;
  switch (rank) {
    case 0:
      return CompareNumbers(a, b);
    case 1:
      return Sign(a.get_ref<const std::string&>().compare(b.get_ref<const std::string&>()));
    case 2:
      return static_cast<int>(a.get<bool>()) - static_cast<int>(b.get<bool>());
    case 3:
      return CompareLists(a, b);
    case 4:
      return CompareObjects(a, b);
    default:
      return 0;
  }
}

PathElement PathElement::Key(KeyFields key) {
  std::stable_sort(key.begin(), key.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return {.kind = Kind::kKey, .key = std::make_shared<const KeyFields>(std::move(key))};
}

PathElement PathElement::Value(json value) {
  return {.kind = Kind::kValue, .value = std::make_shared<const json>(std::move(value))};
}

std::string PathElement::ToText() const {
  std::string out;
  switch (kind) {
    case Kind::kField:
      out.reserve(name.size() + 2);
      return out.append("f:").append(name);
    case Kind::kKey:
      out = "k:{";
      for (const auto& [field, of] : *key) {
        if (out.size() > 3) out += ',';
        out += json(field).dump(-1, ' ', false, json::error_handler_t::replace) + ":";
        AppendJson(of, out);
      }
      return out + "}";
    case Kind::kValue:
      out = "v:";
      AppendJson(*value, out);
      return out;
    case Kind::kIndex:
      break;
  }
  return "i:" + std::to_string(index);
}

Result<std::optional<PathElement>> PathElement::FromText(std::string_view text) {
  if (text.size() < 2) return Bad(text, "key must be 2 characters long:");
  if (text[1] != ':') return Bad(text, "missing colon");
  const std::string_view rest = text.substr(2);
  switch (text[0]) {
    case 'f':
      return std::optional(Field(std::string(rest)));
    case 'i': {
      std::int64_t index = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), index);
      if (error != std::errc() || end != rest.data() + rest.size()) return Bad(text, "invalid index");
      return std::optional(Index(index));
    }
    case 'v':
    case 'k':
      break;
    default:
      return std::optional<PathElement>();
  }
  if (TooDeep(rest)) return Bad(text, "nested too deeply");
  json parsed = json::parse(rest, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) return Bad(text, "not JSON");
  if (text[0] == 'v') return std::optional(Value(std::move(parsed)));
  if (!parsed.is_object()) return Bad(text, "expected an object");
  KeyFields key;
  for (auto it = parsed.begin(); it != parsed.end(); ++it) key.emplace_back(it.key(), std::move(it.value()));
  return std::optional(Key(std::move(key)));
}

std::string PathElement::ToString() const {
  std::string out;
  switch (kind) {
    case Kind::kField:
      return "." + name;
    case Kind::kKey:
      out = "[";
      for (const auto& [field, of] : *key) {
        if (out.size() > 1) out += ',';
        out += field + "=" + ForMessage(of);
      }
      return out + "]";
    case Kind::kValue:
      return "[=" + ForMessage(*value) + "]";
    case Kind::kIndex:
      break;
  }
  return "[" + std::to_string(index) + "]";
}

int PathElement::Compare(const PathElement& other) const {
  if (kind != other.kind) return kind < other.kind ? -1 : 1;
  switch (kind) {
    case Kind::kField:
      return Sign(name.compare(other.name));
    case Kind::kKey:
      return CompareKeys(*key, *other.key);
    case Kind::kValue:
      return CompareJson(*value, *other.value);
    case Kind::kIndex:
      break;
  }
  return index < other.index ? -1 : index > other.index ? 1 : 0;
}

std::string ToString(const FieldPath& path) {
  std::string out;
  for (const PathElement& element : path) out += element.ToString();
  return out;
}

}  // namespace kinformer::apiserver
