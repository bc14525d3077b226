#include "src/yaml/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cmath>
#include <istream>
#include <nlohmann/json.hpp>
#include <streambuf>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/base/utf8.h"
#include "src/yaml/yaml_scalar.h"

namespace kinformer::apiserver {
namespace {

using nlohmann::json;

/// Thrown inside an event to leave yaml-cpp's parser; caught in WithParser.
struct Abort {
  std::string message;
  bool too_large = false;
};

/// The size of a finished value, charged again for each alias.
struct Cost {
  std::size_t nodes = 1;
  std::size_t bytes = 0;
  std::size_t height = 1;
};

std::string At(const YAML::Mark& mark) { return "yaml: line " + std::to_string(mark.line + 1) + ": "; }

/// Below this, every integral double is exact.
constexpr double kExactIntegers = 9007199254740992.0;

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = internal::Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// A non-string key as Go writes it.
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
  /// The size of the whole document.
  const Cost& cost() const { return root_cost_; }
  const YAML::Mark& start() const { return start_; }

  void OnDocumentStart(const YAML::Mark& mark) override { start_ = mark; }
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
    // Merge keys ("<<") do not override the map's own keys.
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
      root_cost_ = cost;
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
  Cost root_cost_;
  YAML::Mark start_;
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

/// A text of several documents may be as large as this many of the largest documents.
constexpr std::size_t kMaxFullDocuments = 16;

/// Calls `read` with a parser of `text`, and turns what is thrown there into an error.
template <typename Read>
auto WithParser(std::string_view text, const YamlReadLimits& limits, const Read& read)
    -> Result<std::invoke_result_t<Read, YAML::Parser&>> {
  if (text.size() > limits.bytes) {
    return Error{.code = ErrorCode::kTooLarge, .message = "yaml: document is too large"};
  }
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    return read(parser);
  } catch (const Abort& abort) {
    return Error{.code = abort.too_large ? ErrorCode::kTooLarge : ErrorCode::kMalformed, .message = abort.message};
  } catch (const YAML::Exception& exception) {
    return Error{.code = ErrorCode::kMalformed, .message = At(exception.mark) + exception.msg};
  } catch (const std::exception&) {
    return Error{.code = ErrorCode::kMalformed, .message = "yaml: not a document"};
  }
}

}  // namespace

Result<json> ReadYaml(std::string_view text, const YamlReadLimits& limits) {
  return WithParser(text, limits, [&](YAML::Parser& parser) {
    JsonBuilder builder(limits);
    parser.HandleNextDocument(builder);
    return builder.Take();
  });
}

Result<std::vector<json>> ReadYamlDocuments(std::string_view text, const YamlReadLimits& limits) {
  const YamlReadLimits total{
      .depth = limits.depth, .nodes = kMaxFullDocuments * limits.nodes, .bytes = kMaxFullDocuments * limits.bytes};
  return WithParser(text, total, [&](YAML::Parser& parser) {
    std::vector<json> documents;
    YamlReadLimits left = total;
    for (int last_start = -1;;) {
      JsonBuilder builder({.depth = limits.depth,
                           .nodes = std::min(limits.nodes, left.nodes),
                           .bytes = std::min(limits.bytes, left.bytes)});
      if (!parser.HandleNextDocument(builder)) return documents;
      // A document of a single scalar is not counted while it is read.
      if (left.nodes == 0) throw Abort{"yaml: too many documents or values", true};
      // yaml-cpp leaves a token that begins no value where it is, and would read an empty document there forever.
      if (builder.start().pos == last_start) throw Abort{At(builder.start()) + "did not find expected document start"};
      last_start = builder.start().pos;
      left.nodes -= std::min(left.nodes, builder.cost().nodes);
      left.bytes -= std::min(left.bytes, builder.cost().bytes);
      if (json document = builder.Take(); !document.is_null()) documents.push_back(std::move(document));
    }
  });
}

}  // namespace kinformer::apiserver
