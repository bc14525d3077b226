#ifndef KINFORMER_META_SELECTOR_H_
#define KINFORMER_META_SELECTOR_H_

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <kinformer/base/result.h>

namespace kinformer {

/// Longer selectors are rejected with kTooLarge: they would not fit into a URL.
inline constexpr std::size_t kMaxSelectorBytes = std::size_t{64} * 1024;

/// How a selector looks up a label: through `Find(key)` (the labels of an object), in a map of strings, or by calling a
/// function that returns an optional string. A parameter type: it refers to its argument.
class LabelLookup {
 public:
  template <typename Labels>
  requires(!std::same_as<std::remove_cvref_t<Labels>, LabelLookup>)
      LabelLookup(const Labels& labels)  // NOLINT(google-explicit-constructor)
      : labels_(&labels), find_(&Find<Labels>) {}

  std::optional<std::string_view> operator()(std::string_view key) const { return find_(labels_, key); }

 private:
  template <typename Labels>
  static std::optional<std::string_view> Find(const void* erased, std::string_view key) {
    const Labels& labels = *static_cast<const Labels*>(erased);
    if constexpr (requires { labels.Find(key); }) {
      return labels.Find(key);
    } else if constexpr (std::is_invocable_v<const Labels&, std::string_view>) {
      // A returned std::string would be destroyed before it is read.
      static_assert(std::is_convertible_v<std::invoke_result_t<const Labels&, std::string_view>,
                                          std::optional<std::string_view>> &&
                    !std::is_same_v<std::invoke_result_t<const Labels&, std::string_view>, std::string>);
      return labels(key);
    } else {
      const auto it = [&] {
        if constexpr (requires { labels.find(key); }) {
          return labels.find(key);
        } else {
          return labels.find(typename Labels::key_type(key));
        }
      }();
      if (it == labels.end()) return std::nullopt;
      return std::string_view(it->second);
    }
  }

  const void* labels_;
  std::optional<std::string_view> (*find_)(const void*, std::string_view);
};

enum class LabelOperator { kEquals, kNotEquals, kIn, kNotIn, kExists, kDoesNotExist, kGreaterThan, kLessThan };

/// One condition on one label. Valid by construction.
class LabelRequirement {
 public:
  /// kEquals and kNotEquals take one value, kIn and kNotIn one or more, kExists and kDoesNotExist none, kGreaterThan
  /// and kLessThan one integer.
  static Result<LabelRequirement> Create(std::string_view key, LabelOperator op, std::vector<std::string> values = {});

  const std::string& key() const& { return key_; }
  const std::string& key() const&& = delete;
  LabelOperator op() const { return op_; }
  /// Sorted, without duplicates.
  const std::vector<std::string>& values() const& { return values_; }
  const std::vector<std::string>& values() const&& = delete;

  /// An absent label matches kNotEquals, kNotIn and kDoesNotExist. kGreaterThan and kLessThan match only integer
  /// labels.
  bool Matches(LabelLookup labels) const;

  auto operator<=>(const LabelRequirement&) const = default;

 private:
  LabelRequirement() = default;

  std::string key_;
  LabelOperator op_ = LabelOperator::kExists;
  std::vector<std::string> values_;
  std::int64_t bound_ = 0;
};

std::string ToString(const LabelRequirement& requirement);

/// One of the `matchExpressions` in an API object's label selector.
struct LabelSelectorExpression {
  std::string key{};
  std::string op{};  ///< "In", "NotIn", "Exists" or "DoesNotExist".
  std::vector<std::string> values{};
};

/// Selects objects by their labels: all requirements must match. Requirements may name the same key more than once.
///
///     KI_TRY_ASSIGN(const auto selector, ki::LabelSelector::Parse("app=web,tier notin (test,dev),!canary"));
///     bool selected = selector.Matches(pod.Labels());
///
/// A value: selectors with the same set of requirements compare equal, however they were written.
///
/// @par Thread Safety
/// Immutable except for assignment; any thread.
class LabelSelector {
 public:
  /// Matches everything.
  LabelSelector() = default;
  explicit LabelSelector(std::vector<LabelRequirement> requirements);

  static LabelSelector Everything() { return {}; }
  /// Matches no object, here and on a server.
  static LabelSelector Nothing();

  /// The syntax of `kubectl -l`: `a=b`, `a==b`, `a!=b`, `a in (x,y)`, `a notin (x,y)`, `a`, `!a`, `a>1`, `a<5`, joined
  /// by commas, with optional white space between tokens. An error gives the byte offset, what was found and what was
  /// expected.
  static Result<LabelSelector> Parse(std::string_view text);
  /// From the `matchLabels` and `matchExpressions` of an API object. Both empty: everything.
  static Result<LabelSelector> FromApi(const std::map<std::string, std::string>& match_labels,
                                       const std::vector<LabelSelectorExpression>& match_expressions = {});

  bool Matches(LabelLookup labels) const;
  bool IsEverything() const { return requirements_.empty(); }
  /// The value that `key` has in every match, if the selector requires one value.
  std::optional<std::string> RequiresExactMatch(std::string_view key) const;
  /// Matches what both match.
  LabelSelector And(const LabelSelector& other) const;

  /// Sorted, without duplicates.
  const std::vector<LabelRequirement>& requirements() const& { return requirements_; }
  const std::vector<LabelRequirement>& requirements() const&& = delete;

  auto operator<=>(const LabelSelector&) const = default;

 private:
  std::vector<LabelRequirement> requirements_;
};

/// Canonical: equal selectors yield the same text, which Parse turns back into an equal selector.
std::string ToString(const LabelSelector& selector);

enum class FieldOperator { kEquals, kNotEquals };

struct FieldRequirement {
  std::string field{};  ///< "status.phase"
  FieldOperator op = FieldOperator::kEquals;
  std::string value{};

  auto operator<=>(const FieldRequirement&) const = default;
};

/// Selects objects by their fields: `metadata.name=x,status.phase!=Running`. In values, `,`, `=` and `\` are escaped
/// with a backslash. The server decides by which fields a kind can be selected.
///
/// @par Thread Safety
/// Immutable except for assignment; any thread.
class FieldSelector {
 public:
  /// Matches everything.
  FieldSelector() = default;

  static FieldSelector Everything() { return {}; }
  static Result<FieldSelector> Parse(std::string_view text);
  /// Takes values literally, without escapes.
  static Result<FieldSelector> From(std::vector<FieldRequirement> requirements);

  /// `value_of(field)` returns a string or an optional string. An absent field counts as empty, as on a server.
  template <typename ValueOf>
  requires std::invocable<ValueOf&, std::string_view>
  bool Matches(ValueOf&& value_of) const {
    for (const FieldRequirement& requirement : requirements_) {
      const auto value = value_of(std::string_view(requirement.field));
      if ((TextOf(value) == requirement.value) != (requirement.op == FieldOperator::kEquals)) return false;
    }
    return true;
  }
  bool IsEverything() const { return requirements_.empty(); }
  /// The value that `field` has in every match, if the selector requires one value.
  std::optional<std::string> RequiresExactMatch(std::string_view field) const;
  /// Matches what both match.
  FieldSelector And(const FieldSelector& other) const;

  /// Sorted, without duplicates.
  const std::vector<FieldRequirement>& requirements() const& { return requirements_; }
  const std::vector<FieldRequirement>& requirements() const&& = delete;

  auto operator<=>(const FieldSelector&) const = default;

 private:
  template <typename Text>
  static std::string_view TextOf(const Text& value) {
    if constexpr (std::is_convertible_v<const Text&, std::string_view>) {
      return value;
    } else {
      return value ? std::string_view(*value) : std::string_view();
    }
  }

  void Normalize();

  std::vector<FieldRequirement> requirements_;
};

/// Canonical, with escapes: equal selectors yield the same text, which Parse turns back into an equal selector.
std::string ToString(const FieldSelector& selector);

}  // namespace kinformer

#endif  // KINFORMER_META_SELECTOR_H_
