#include "src/apiserver/yaml/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <streambuf>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/apiserver/yaml/yaml_scalar.h"
#include "src/codec/utf8.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// Leaves yaml-cpp's parser from inside an event; caught in ReadYaml.
struct Abort {
  std::string message;
  bool too_large = false;
};

/// A finished value, and what it costs to have it once more.
struct Cost {
  std::size_t nodes = 1;
  std::size_t bytes = 0;
  std::size_t height = 1;
};

std::string At(const YAML::Mark& mark) { return "yaml: line " + std::to_string(mark.line + 1) + ": "; }

/// Below it, a double that is whole is that very number.
constexpr double kExactIntegers = 9007199254740992.0;

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = internal::Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// As Go writes a key that is no string.
std::string KeyText(const json& key) {
  if (key.is_string()) return key.get<std::string>();
  if (key.is_number_float()) {
    const double number = key.get<double>();
    if (std::trunc(number) == number && std::abs(number) < kExactIntegers) {
      return std::to_string(static_cast<long long>(number));
    }
  }
  return key.dump();
}

class JsonBuilder final : public YAML::EventHandler {
 public:
  explicit JsonBuilder(const YamlReadLimits& limits) : limits_(limits) {}

  json Take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { Finish(mark, anchor, {}, {}); }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) throw Abort{At(mark) + "anchor contains itself"};
    Append(mark, found->second.first, found->second.second);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (!IsUtf8(value)) throw Abort{At(mark) + "invalid UTF-8"};
    const bool plain = tag == "?" || tag.empty();
    json resolved = plain ? ResolveYamlScalar(value) : json(value);
    if (resolved.is_number_float() && !std::isfinite(resolved.get<double>())) {
      throw Abort{At(mark) + "json: unsupported value: " + value};
    }
    Finish(mark, anchor, std::move(resolved), {.bytes = value.size()});
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    Begin(mark, anchor, json::array());
  }
  void OnSequenceEnd() override { End(); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    Begin(mark, anchor, json::object());
  }
  void OnMapEnd() override {
    OpenNode& map = open_.back();
    // What "<<" brings, where the map itself does not say otherwise.
    for (const json& source : map.merged) {
      for (auto it = source.begin(); it != source.end(); ++it) {
        if (!map.value.contains(it.key())) map.value[it.key()] = *it;
      }
    }
    End();
  }

 private:
  struct OpenNode {
    YAML::Mark mark;
    YAML::anchor_t anchor = YAML::NullAnchor;
    json value{};
    Cost cost{};
    bool has_key = false;
    std::string key{};
    std::vector<json> merged{};
  };

  void Begin(const YAML::Mark& mark, YAML::anchor_t anchor, json value) {
    if (open_.size() >= limits_.depth) TooLarge("exceeded max depth");
    OpenNode node;
    node.mark = mark;
    node.anchor = anchor;
    node.value = std::move(value);
    open_.push_back(std::move(node));
  }

  void End() {
    OpenNode done = std::move(open_.back());
    open_.pop_back();
    Finish(done.mark, done.anchor, std::move(done.value), done.cost);
  }

  void Finish(const YAML::Mark& mark, YAML::anchor_t anchor, json value, Cost cost) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = {value, cost};
    Append(mark, std::move(value), cost);
  }

  [[noreturn]] static void TooLarge(std::string_view what) { throw Abort{"yaml: " + std::string(what), true}; }

  void Append(const YAML::Mark& mark, json value, const Cost& cost) {
    if (open_.empty()) {
      root_ = std::move(value);
      return;
    }
    OpenNode& parent = open_.back();
    parent.cost.nodes += cost.nodes;
    parent.cost.bytes += cost.bytes;
    parent.cost.height = std::max(parent.cost.height, cost.height + 1);
    if (parent.cost.height > limits_.depth) TooLarge("exceeded max depth");
    if (parent.cost.nodes > limits_.nodes || parent.cost.bytes > limits_.bytes) {
      TooLarge("document contains excessive aliasing");
    }
    if (parent.value.is_array()) {
      parent.value.push_back(std::move(value));
    } else if (!parent.has_key) {
      if (value.is_structured() || value.is_null()) throw Abort{At(mark) + "invalid map key"};
      parent.key = KeyText(value);
      parent.has_key = true;
      if (parent.key != "<<" && parent.value.contains(parent.key)) {
        throw Abort{At(mark) + "key \"" + parent.key + "\" already set in map"};
      }
    } else {
      parent.has_key = false;
      if (parent.key == "<<") {
        Merge(mark, std::move(value));
      } else {
        parent.value[parent.key] = std::move(value);
      }
    }
  }

  void Merge(const YAML::Mark& mark, json value) {
    std::vector<json>& merged = open_.back().merged;
    if (value.is_object()) {
      merged.push_back(std::move(value));
      return;
    }
    const bool maps =
        value.is_array() && std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_object(); });
    if (!maps) throw Abort{At(mark) + "map merge requires map or sequence of maps as the value"};
    for (json& one : value) merged.push_back(std::move(one));
  }

  const YamlReadLimits limits_;
  json root_;
  std::vector<OpenNode> open_;
  std::unordered_map<YAML::anchor_t, std::pair<json, Cost>> anchors_;
};

class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* const begin = const_cast<char*>(text.data());  // only read from
    setg(begin, begin, begin + text.size());
  }
};

}  // namespace

Result<json> ReadYaml(std::string_view text, const YamlReadLimits& limits) {
  if (text.size() > limits.bytes) {
    return Error{.code = ErrorCode::kTooLarge, .message = "yaml: document is too large"};
  }
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    JsonBuilder builder(limits);
    parser.HandleNextDocument(builder);
    return builder.Take();
  } catch (const Abort& abort) {
    return Error{.code = abort.too_large ? ErrorCode::kTooLarge : ErrorCode::kMalformed, .message = abort.message};
  } catch (const YAML::Exception& exception) {
    return Error{.code = ErrorCode::kMalformed, .message = At(exception.mark) + exception.msg};
  } catch (const std::exception&) {
    return Error{.code = ErrorCode::kMalformed, .message = "yaml: not a document"};
  }
}

std::vector<std::string_view> YamlDocuments(std::string_view text) {
  std::vector<std::string_view> documents;
  const auto add = [&](std::string_view document) {
    if (document.find_first_not_of(" \t\r\n") != std::string_view::npos) documents.push_back(document);
  };
  std::size_t begin = 0;
  for (std::size_t line = 0; line < text.size();) {
    std::size_t next = text.find('\n', line);
    next = next == std::string_view::npos ? text.size() : next + 1;
    if (text.substr(line).starts_with("---")) {
      add(text.substr(begin, line - begin));
      begin = next;
    }
    line = next;
  }
  add(text.substr(begin));
  return documents;
}

}  // namespace kinformer::apiserver
