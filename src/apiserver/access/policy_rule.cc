#include "src/apiserver/access/policy_rule.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kAll = "*";

using Texts = std::vector<std::string>;

bool Has(const Texts& texts, std::string_view text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

bool HasAll(const Texts& texts, const Texts& wanted) {
  return std::all_of(wanted.begin(), wanted.end(), [&](const std::string& text) { return Has(texts, text); });
}

Texts ReadTexts(const Value& list) {
  Texts texts;
  for (const Value& element : list.Elements()) {
    if (std::optional<std::string> text = element.AsString()) texts.push_back(*std::move(text));
  }
  return texts;
}

bool UrlCovers(std::string_view rule, std::string_view path) {
  if (rule == path) return true;
  if (!rule.ends_with('*')) return false;
  while (rule.ends_with('*')) rule.remove_suffix(1);
  return path.starts_with(rule);
}

bool AnyUrlCovers(const Texts& rules, std::string_view path) {
  return std::any_of(rules.begin(), rules.end(), [&](const std::string& rule) { return UrlCovers(rule, path); });
}

bool ResourceCovers(const Texts& resources, std::string_view resource) {
  if (Has(resources, kAll) || Has(resources, resource)) return true;
  const std::size_t slash = resource.find('/');
  return slash != std::string_view::npos && Has(resources, "*" + std::string(resource.substr(slash)));
}

/// Whether the single rule `held` grants everything that `wanted` does.
bool Covers(const PolicyRule& held, const PolicyRule& wanted) {
  const bool verbs = Has(held.verbs, kAll) || HasAll(held.verbs, wanted.verbs);
  const bool groups = Has(held.api_groups, kAll) || HasAll(held.api_groups, wanted.api_groups);
  const bool resources = std::all_of(wanted.resources.begin(), wanted.resources.end(),
                                     [&](const std::string& r) { return ResourceCovers(held.resources, r); });
  const bool urls = std::all_of(wanted.non_resource_urls.begin(), wanted.non_resource_urls.end(),
                                [&](const std::string& url) { return AnyUrlCovers(held.non_resource_urls, url); });
  const bool names = held.resource_names.empty() ||
                     (!wanted.resource_names.empty() && HasAll(held.resource_names, wanted.resource_names));
  return verbs && groups && resources && urls && names;
}

bool AnyCovers(const std::vector<PolicyRule>& held, const PolicyRule& wanted) {
  return std::any_of(held.begin(), held.end(), [&](const PolicyRule& rule) { return Covers(rule, wanted); });
}

/// Groups single rights: those of the same resource (and name) become one rule with several verbs.
class MissingRules {
 public:
  void Add(const PolicyRule& right) {
    if (right.resources.empty()) {
      if (std::find(urls_.begin(), urls_.end(), right) == urls_.end()) urls_.push_back(right);
      return;
    }
    const std::string name = right.resource_names.empty() ? std::string() : right.resource_names.front();
    const auto [place, added] = by_resource_.try_emplace(
        {right.api_groups.front(), right.resources.front(), !right.resource_names.empty(), name}, right);
    if (!added && !Has(place->second.verbs, right.verbs.front())) place->second.verbs.push_back(right.verbs.front());
  }
  std::vector<PolicyRule> Take() {
    for (auto& [resource, rule] : by_resource_) urls_.push_back(std::move(rule));
    return std::move(urls_);
  }

 private:
  std::vector<PolicyRule> urls_;
  std::map<std::tuple<std::string, std::string, bool, std::string>, PolicyRule> by_resource_;
};

/// Visits the single rights of a rule. Stops and returns false when `visit` does.
template <typename Visit>
bool ForEachRight(const PolicyRule& rule, Visit visit) {
  for (const std::string& group : rule.api_groups) {
    for (const std::string& resource : rule.resources) {
      for (const std::string& verb : rule.verbs) {
        PolicyRule right{.verbs = {verb}, .api_groups = {group}, .resources = {resource}};
        if (rule.resource_names.empty() && !visit(right)) return false;
        for (const std::string& name : rule.resource_names) {
          right.resource_names = {name};
          if (!visit(right)) return false;
        }
      }
    }
  }
  for (const std::string& url : rule.non_resource_urls) {
    for (const std::string& verb : rule.verbs) {
      if (!visit(PolicyRule{.verbs = {verb}, .non_resource_urls = {url}})) return false;
    }
  }
  return true;
}

}  // namespace

PolicyRule ReadPolicyRule(const Value& rule) {
  return {.verbs = ReadTexts(rule.At("/verbs")),
          .api_groups = ReadTexts(rule.At("/apiGroups")),
          .resources = ReadTexts(rule.At("/resources")),
          .resource_names = ReadTexts(rule.At("/resourceNames")),
          .non_resource_urls = ReadTexts(rule.At("/nonResourceURLs"))};
}

bool Allows(const PolicyRule& rule, const RequestInfo& request, std::string_view name) {
  if (!Has(rule.verbs, kAll) && !Has(rule.verbs, request.verb)) return false;
  if (!request.is_resource_request) return AnyUrlCovers(rule.non_resource_urls, request.path);
  if (!Has(rule.api_groups, kAll) && !Has(rule.api_groups, request.group)) return false;
  const bool covered = request.subresource.empty()
                           ? ResourceCovers(rule.resources, request.resource)
                           : ResourceCovers(rule.resources, request.resource + "/" + request.subresource);
  return covered && (rule.resource_names.empty() || Has(rule.resource_names, name));
}

Result<std::vector<PolicyRule>> MissingRights(const std::vector<PolicyRule>& held,
                                              const std::vector<PolicyRule>& wanted) {
  MissingRules missing;
  std::size_t compared = 0;
  for (const PolicyRule& rule : wanted) {
    if (AnyCovers(held, rule)) continue;
    const bool done = ForEachRight(rule, [&](const PolicyRule& right) {
      if (++compared > kMaxComparedRights) return false;
      if (!AnyCovers(held, right)) missing.Add(right);
      return true;
    });
    if (!done) {
      return Error{.code = ErrorCode::kTooLarge,
                   .message = "the rules grant more than " + std::to_string(kMaxComparedRights) +
                              " single rights, too many to compare with those held"};
    }
  }
  return missing.Take();
}

std::string QuotedList(const std::vector<std::string>& texts) {
  std::string out = "[";
  for (const std::string& text : texts) {
    if (out.size() > 1) out += ' ';
    out += '"';
    for (const char c : text) {
      if (c == '"' || c == '\\') out += '\\';
      out += c;
    }
    out += '"';
  }
  return out + "]";
}

std::string CompactText(const PolicyRule& rule) {
  std::string out = "{";
  const auto add = [&](std::string_view field, const Texts& texts) {
    if (texts.empty()) return;
    if (out.size() > 1) out += ", ";
    out += std::string(field) + ":" + QuotedList(texts);
  };
  add("APIGroups", rule.api_groups);
  add("Resources", rule.resources);
  add("NonResourceURLs", rule.non_resource_urls);
  add("ResourceNames", rule.resource_names);
  add("Verbs", rule.verbs);
  return out + "}";
}

}  // namespace kinformer::apiserver
