#include "src/yaml/yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <istream>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <unordered_map>
#include <unordered_set>

namespace kinformer::internal {
namespace {

using Kind = YamlNode::Kind;

/// Thrown from an event handler to stop yaml-cpp's parser; caught in ParseYaml.
struct Abort {
  int line;
  int column;
  ErrorCode code;
  std::string message;
};

template <std::size_t N>
bool IsOneOf(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 5> kNullWords = {"", "~", "null", "Null", "NULL"};
constexpr std::array<std::string_view, 9> kTrueWords = {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
constexpr std::array<std::string_view, 9> kFalseWords = {"false", "False", "FALSE", "no", "No",
                                                         "NO",    "off",   "Off",   "OFF"};
constexpr std::array<std::string_view, 12> kOddFloats = {".inf",  ".Inf",  ".INF",  "+.inf", "+.Inf", "+.INF",
                                                         "-.inf", "-.Inf", "-.INF", ".nan",  ".NaN",  ".NAN"};

bool AllOf(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

bool IsInteger(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    return AllOf(text.substr(2), "0123456789abcdefABCDEF");
  }
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'o' || text[1] == 'b')) {
    return AllOf(text.substr(2), text[1] == 'o' ? "01234567" : "01");
  }
  return AllOf(text, "0123456789");
}

bool IsFloat(std::string_view text) {
  if (IsOneOf(text, kOddFloats)) return true;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  // from_chars also accepts "inf" and "nan", which are strings in YAML.
  if (!AllOf(text, "0123456789.eE+-")) return false;
  double value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  return end == text.data() + text.size() && problem != std::errc::invalid_argument;
}

/// Sets the kind of a scalar without quotes and tag.
void ResolvePlain(YamlNode& node) {
  if (IsOneOf(node.text, kNullWords)) {
    node.kind = Kind::kNull;
  } else if (IsOneOf(node.text, kTrueWords) || IsOneOf(node.text, kFalseWords)) {
    node.kind = Kind::kBool;
    node.truth = IsOneOf(node.text, kTrueWords);
  } else if (IsInteger(node.text)) {
    node.kind = Kind::kInteger;
  } else if (IsFloat(node.text)) {
    node.kind = Kind::kFloat;
  } else {
    node.kind = Kind::kString;
  }
}

/// Builds the tree from the parser's events and aborts when a limit is exceeded.
class TreeBuilder final : public YAML::EventHandler {
 public:
  explicit TreeBuilder(const YamlLimits& limits) : limits_(limits) {}

  YamlNodePtr Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { Finish(NewNode(mark), anchor, mark); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    Count(mark);
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) Fail(mark, "an alias inside of what it refers to");
    Append(found->second, mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    auto node = NewNode(mark);
    node->text = value;
    node->kind = Kind::kString;
    if (tag == "?" || tag.empty()) ResolvePlain(*node);
    Finish(std::move(node), anchor, mark);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Open(mark, anchor, Kind::kSequence);
  }
  void OnSequenceEnd() override { Close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Open(mark, anchor, Kind::kMap);
  }
  void OnMapEnd() override {
    Merge(open_.back());
    Close();
  }

 private:
  struct OpenNode {
    std::shared_ptr<YamlNode> node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    YAML::Mark mark;
    bool has_key = false;
    std::string key;
    std::unordered_set<std::string> keys;
    std::vector<YamlNodePtr> merged;  ///< The values of "<<" keys.
  };

  [[noreturn]] static void Fail(const YAML::Mark& mark, std::string message, ErrorCode code = ErrorCode::kMalformed) {
    throw Abort{mark.line + 1, mark.column + 1, code, std::move(message)};
  }

  void Count(const YAML::Mark& mark) {
    if (++nodes_ > limits_.nodes) {
      Fail(mark, "more than " + std::to_string(limits_.nodes) + " values", ErrorCode::kTooLarge);
    }
  }

  std::shared_ptr<YamlNode> NewNode(const YAML::Mark& mark) {
    Count(mark);
    auto node = std::make_shared<YamlNode>();
    node->line = mark.line + 1;
    node->column = mark.column + 1;
    return node;
  }

  [[noreturn]] void FailTooDeep(const YAML::Mark& mark) const {
    Fail(mark, "nested deeper than " + std::to_string(limits_.depth) + " levels", ErrorCode::kTooLarge);
  }

  /// A chain of aliases nests as deep as it is long, and is walked and freed recursively.
  void Grow(YamlNode& parent, const YamlNode& child, const YAML::Mark& mark) const {
    parent.height = std::max(parent.height, child.height + 1);
    if (parent.height > limits_.depth) FailTooDeep(mark);
  }

  void Open(const YAML::Mark& mark, YAML::anchor_t anchor, Kind kind) {
    if (open_.size() >= limits_.depth) FailTooDeep(mark);
    auto node = NewNode(mark);
    node->kind = kind;
    OpenNode opened;
    opened.node = std::move(node);
    opened.anchor = anchor;
    opened.mark = mark;
    open_.push_back(std::move(opened));
  }

  void Close() {
    OpenNode done = std::move(open_.back());
    open_.pop_back();
    Finish(std::move(done.node), done.anchor, done.mark);
  }

  void Finish(std::shared_ptr<YamlNode> node, YAML::anchor_t anchor, const YAML::Mark& mark) {
    YamlNodePtr finished = std::move(node);
    if (anchor != YAML::NullAnchor) anchors_[anchor] = finished;
    Append(finished, mark);
  }

  void Append(const YamlNodePtr& node, const YAML::Mark& mark) {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    OpenNode& parent = open_.back();
    Grow(*parent.node, *node, mark);
    if (parent.node->kind == Kind::kSequence) {
      parent.node->items.push_back(node);
    } else if (!parent.has_key) {
      if (node->kind == Kind::kMap || node->kind == Kind::kSequence) Fail(mark, "a map or a list as the key of a map");
      parent.key = node->text;
      parent.has_key = true;
      if (parent.key != "<<" && !parent.keys.insert(parent.key).second) Fail(mark, "duplicate key");
    } else {
      parent.has_key = false;
      if (parent.key == "<<") {
        if (node->kind != Kind::kMap) Fail(mark, "only a map can be merged with <<");
        parent.merged.push_back(node);
      } else {
        parent.node->entries.emplace_back(std::move(parent.key), node);
      }
    }
  }

  /// Adds the entries of "<<" maps; the map's own entries take precedence.
  void Merge(OpenNode& map) {
    for (const YamlNodePtr& source : map.merged) {
      for (const auto& [key, value] : source->entries) {
        Count(map.mark);
        Grow(*map.node, *value, map.mark);
        if (map.keys.insert(key).second) map.node->entries.emplace_back(key, value);
      }
    }
  }

  const YamlLimits limits_;
  std::size_t nodes_ = 0;
  std::vector<OpenNode> open_;
  std::unordered_map<YAML::anchor_t, YamlNodePtr> anchors_;
  YamlNodePtr root_;
};

class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // only read from
    setg(begin, begin, begin + text.size());
  }
};

Error AtPlace(int line, int column, ErrorCode code, std::string_view message) {
  return {
      .code = code,
      .message = "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + std::string(message)};
}

/// Whether line `line - 1` or `line` is indented with a tab, the most common YAML mistake.
bool HasTabIndent(std::string_view text, int line) {
  int number = 1;
  for (std::size_t begin = 0; begin < text.size() && number <= line; ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    const std::string_view indent = content.substr(0, content.find_first_not_of(" \t"));
    if (number >= line - 1 && indent.find('\t') != std::string_view::npos) return true;
    begin = end + 1;
  }
  return false;
}

void AppendJson(const YamlNode& node, std::size_t limit, std::string& out) {
  if (out.size() > limit) return;
  const auto quoted = [](const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  switch (node.kind) {
    case Kind::kNull:
      out += "null";
      break;
    case Kind::kBool:
      out += node.truth ? "true" : "false";
      break;
    case Kind::kInteger: {
      std::int64_t value = 0;
      const char* const end = node.text.data() + node.text.size();
      const auto [stop, problem] = std::from_chars(node.text.data(), end, value);
      out += stop == end && problem == std::errc() ? std::to_string(value) : quoted(node.text);
      break;
    }
    case Kind::kFloat: {
      double value = 0;
      const char* const end = node.text.data() + node.text.size();
      const auto [stop, problem] = std::from_chars(node.text.data(), end, value);
      const bool usable = stop == end && problem == std::errc() && std::isfinite(value);
      out += usable ? nlohmann::json(value).dump() : quoted(node.text);
      break;
    }
    case Kind::kString:
      out += quoted(node.text);
      break;
    case Kind::kSequence: {
      out += '[';
      const char* separator = "";
      for (const YamlNodePtr& item : node.items) {
        out += separator;
        AppendJson(*item, limit, out);
        if (out.size() > limit) return;
        separator = ",";
      }
      out += ']';
      break;
    }
    case Kind::kMap: {
      out += '{';
      const char* separator = "";
      for (const auto& [key, value] : node.entries) {
        out.append(separator).append(quoted(key)).append(":");
        AppendJson(*value, limit, out);
        if (out.size() > limit) return;
        separator = ",";
      }
      out += '}';
      break;
    }
  }
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name == key) return value->kind == Kind::kNull ? nullptr : value.get();
  }
  return nullptr;
}

std::string_view KindName(YamlNode::Kind kind) {
  switch (kind) {
    case Kind::kNull:
      return "nothing";
    case Kind::kBool:
      return "a boolean";
    case Kind::kInteger:
    case Kind::kFloat:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kSequence:
      return "a list";
    case Kind::kMap:
      return "a map";
  }
  return "something else";
}

Result<YamlNodePtr> ParseYaml(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.bytes) {
    return Error{.code = ErrorCode::kTooLarge, .message = "larger than " + std::to_string(limits.bytes) + " bytes"};
  }
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    TreeBuilder first(limits);
    parser.HandleNextDocument(first);
    YamlNodePtr root = first.Take();
    TreeBuilder second(limits);
    if (parser.HandleNextDocument(second)) {
      const YamlNodePtr more = second.Take();
      if (more && more->kind != Kind::kNull) {
        return AtPlace(more->line, more->column, ErrorCode::kMalformed, "a second YAML document; only one is allowed");
      }
    }
    if (root && root->kind == Kind::kNull) root = nullptr;
    return root;
  } catch (const Abort& abort) {
    return AtPlace(abort.line, abort.column, abort.code, abort.message);
  } catch (const YAML::Exception& exception) {
    // Some of these messages end with a piece of the text, after a colon: cut it off.
    std::string message = exception.msg.substr(0, exception.msg.find(':'));
    const int line = exception.mark.line + 1;
    if (HasTabIndent(text, line)) message += " (indented with a tab; YAML requires spaces)";
    return AtPlace(line, exception.mark.column + 1, ErrorCode::kMalformed, "not valid YAML: " + message);
  } catch (const std::exception&) {
    return Error{.code = ErrorCode::kMalformed, .message = "not valid YAML"};
  }
}

Result<std::string> ToJson(const YamlNode& node, std::size_t limit) {
  std::string out;
  AppendJson(node, limit, out);
  if (out.size() > limit) {
    return Error{.code = ErrorCode::kTooLarge, .message = "larger than " + std::to_string(limit) + " bytes as JSON"};
  }
  return out;
}

}  // namespace kinformer::internal
