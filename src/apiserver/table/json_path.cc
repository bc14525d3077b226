#include "src/apiserver/table/json_path.h"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <utility>

#include "src/codec/json_text.h"

namespace kinformer::apiserver {
namespace {

/// Limits the recursion; real column paths are short.
constexpr std::size_t kMaxSteps = 64;

Error BadPath(std::string_view text, std::string_view why) {
  return {.code = ErrorCode::kInvalidArgument,
          .message = "\"" + std::string(text) + "\" is not a valid column JSONPath: " + std::string(why)};
}

std::optional<double> NumberOf(std::string_view text) {
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

class JsonPath::Parser {
 public:
  explicit Parser(std::string_view text) : rest_(text) {}

  /// Returns the error; empty: success.
  std::string_view Run(std::vector<Step>& steps) {
    if (rest_.starts_with('{') && rest_.ends_with('}')) rest_ = rest_.substr(1, rest_.size() - 2);
    if (rest_.starts_with('$')) rest_.remove_prefix(1);
    while (!rest_.empty()) {
      if (steps.size() == kMaxSteps) return "it is too long";
      std::string_view wrong;
      if (Take('.')) {
        if (rest_.empty() || rest_.starts_with('[')) continue;  // "." is the whole object, ".[0]" is "[0]"
        std::string name = Name(".[");
        if (name.empty()) return "a name is missing";
        steps.emplace_back(std::move(name));
      } else if (Take('[')) {
        wrong = Bracket(steps);
      } else {
        wrong = "a '.' or '[' is missing";
      }
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  bool Take(char c) {
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void SkipBlanks() {
    while (Take(' ')) {
    }
  }

  /// Reads up to one of `ends`; a backslash escapes any character.
  std::string Name(std::string_view ends) {
    std::string name;
    while (!rest_.empty() && ends.find(rest_.front()) == std::string_view::npos) {
      if (rest_.front() == '\\' && rest_.size() > 1) rest_.remove_prefix(1);
      name += rest_.front();
      rest_.remove_prefix(1);
    }
    return name;
  }

  bool Quoted(std::string& text) {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    text = Name(std::string_view(&quote, 1));
    return Take(quote);
  }

  bool AtQuote() const { return rest_.starts_with('\'') || rest_.starts_with('"'); }

  std::string_view Bracket(std::vector<Step>& steps) {
    SkipBlanks();
    if (Take('*')) {
      steps.emplace_back(All{});
    } else if (AtQuote()) {
      std::string name;
      if (!Quoted(name)) return "a quote is not closed";
      steps.emplace_back(std::move(name));
    } else if (Take('?')) {
      if (!Take('(')) return "a '(' is missing";
      Filter filter;
      if (const std::string_view wrong = ReadFilter(filter); !wrong.empty()) return wrong;
      steps.emplace_back(std::move(filter));
    } else {
      std::int64_t index = 0;
      const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), index);
      if (failed != std::errc()) return "an index, '*', a quoted name or a filter is missing";
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      steps.emplace_back(index);
    }
    SkipBlanks();
    return Take(']') ? std::string_view() : "a ']' is missing";
  }

  std::string_view ReadFilter(Filter& filter) {
    SkipBlanks();
    if (!Take('@')) return "a filter begins with '@'";
    while (Take('.')) {
      std::string name = Name(".=!<> )");
      if (name.empty()) return "a name is missing in the filter";
      if (filter.fields.size() == kMaxSteps) return "it is too long";
      filter.fields.push_back(std::move(name));
    }
    SkipBlanks();
    if (Take(')')) return {};
    if (const std::string_view wrong = ReadOperator(filter.compare); !wrong.empty()) return wrong;
    SkipBlanks();
    if (AtQuote()) {
      filter.is_text = true;
      if (!Quoted(filter.text)) return "a quote is not closed";
    } else {
      filter.literal = Name(" )");
      const bool word = filter.literal == "true" || filter.literal == "false" || filter.literal == "null";
      if (!word && !NumberOf(filter.literal)) return "a filter compares with a string, a number, true, false or null";
    }
    SkipBlanks();
    return Take(')') ? std::string_view() : "a ')' is missing";
  }

  std::string_view ReadOperator(Operator& compare) {
    static constexpr std::pair<std::string_view, Operator> kOperators[] = {
        {"==", Operator::kEqual},          {"!=", Operator::kNotEqual}, {"<=", Operator::kLessOrEqual},
        {">=", Operator::kGreaterOrEqual}, {"<", Operator::kLess},      {">", Operator::kGreater}};
    for (const auto& [text, meaning] : kOperators) {
      if (!rest_.starts_with(text)) continue;
      rest_.remove_prefix(text.size());
      compare = meaning;
      return {};
    }
    return "a comparison is missing in the filter";
  }

  std::string_view rest_;
};

Result<JsonPath> JsonPath::Parse(std::string_view text) {
  JsonPath path;
  if (const std::string_view wrong = Parser(text).Run(path.steps_); !wrong.empty()) return BadPath(text, wrong);
  path.FoldNames();
  return path;
}

void JsonPath::FoldNames() {
  std::size_t count = 0;
  for (; count < steps_.size(); ++count) {
    const auto* name = std::get_if<std::string>(&steps_[count]);
    // A name is not an index; a numeric one would be in a pointer.
    if (name == nullptr || name->find_first_not_of("0123456789") == std::string::npos) break;
    internal::AppendPointerToken(*name, begin_);
  }
  steps_.erase(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(count));
}

Value JsonPath::Field(const Value& value, const std::string& name) {
  std::string pointer;
  internal::AppendPointerToken(name, pointer);
  // A name is not an index into an array.
  return value.Raw().starts_with('{') ? value.At(pointer) : Value();
}

bool JsonPath::Matches(const Value& element, const Filter& filter) {
  Value value = element;
  for (const std::string& field : filter.fields) value = Field(value, field);
  if (!value.Exists()) return false;
  if (filter.compare == Operator::kExists) return true;
  int order = 0;
  bool comparable = true;
  if (filter.is_text) {
    const std::optional<std::string> text = value.AsString();
    comparable = text.has_value();
    if (text) order = text->compare(filter.text);
  } else if (const std::optional<double> wanted = NumberOf(filter.literal)) {
    const std::optional<double> number = value.AsDouble();
    comparable = number.has_value();
    if (number) order = *number < *wanted ? -1 : *number > *wanted ? 1 : 0;
  } else {
    order = value.Raw() == filter.literal ? 0 : 1;
    if (filter.compare != Operator::kEqual && filter.compare != Operator::kNotEqual) return false;
  }
  if (!comparable) return filter.compare == Operator::kNotEqual;
  switch (filter.compare) {
    case Operator::kEqual:
      return order == 0;
    case Operator::kNotEqual:
      return order != 0;
    case Operator::kLess:
      return order < 0;
    case Operator::kLessOrEqual:
      return order <= 0;
    case Operator::kGreater:
      return order > 0;
    case Operator::kGreaterOrEqual:
      return order >= 0;
    case Operator::kExists:
      break;
  }
  return true;
}

Value JsonPath::Find(const Value& value, const std::vector<Step>& steps, std::size_t at) {
  if (!value.Exists() || at == steps.size()) return value;
  const Step& step = steps[at];
  if (const auto* name = std::get_if<std::string>(&step)) return Find(Field(value, *name), steps, at + 1);
  std::vector<Value> elements = value.Elements();
  if (const auto* index = std::get_if<std::int64_t>(&step)) {
    const auto count = static_cast<std::int64_t>(elements.size());
    const std::int64_t from_front = *index < 0 ? count + *index : *index;
    if (from_front < 0 || from_front >= count) return {};
    return Find(elements[static_cast<std::size_t>(from_front)], steps, at + 1);
  }
  const auto* filter = std::get_if<Filter>(&step);
  if (filter == nullptr && elements.empty()) {
    for (auto& [key, member] : value.Members()) elements.push_back(member);
  }
  for (const Value& element : elements) {
    if (filter != nullptr && !Matches(element, *filter)) continue;
    if (const Value found = Find(element, steps, at + 1); found.Exists()) return found;
  }
  return {};
}

Value JsonPath::First(const Object& object) const { return Find(object.At(begin_), steps_, 0); }

}  // namespace kinformer::apiserver
