#include "src/programs/kinformer_gen/command_line.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/gen/names.h"

namespace kinformer::gen {

const char kUsage[] =
    "usage: kinformer-gen --crd FILE|DIR... --out DIR [--group G/V]... [--namespace NS] [--name NAME] [--no-share]\n"
    "                     [--embed-crd] [--check]\n"
    "       kinformer-gen --openapi FILE|DIR... --out DIR [--group G/V]... [--namespace NS] [--check]\n";

const char kHelp[] =
    "\n"
    "Writes typed structs for the kinds of CustomResourceDefinitions or of a server's OpenAPI documents: a header and "
    "a\n"
    "source for each group and version. The same input gives the same bytes. What cannot be mapped is named on "
    "standard\n"
    "error; objects keep it as JSON.\n"
    "\n"
    "  --crd FILE|DIR...  CustomResourceDefinitions, YAML or JSON; of a folder, its *.yaml, *.yml and *.json\n"
    "  --openapi FILE|DIR...\n"
    "                     OpenAPI documents, version 2 or 3, JSON or YAML; without their descriptions\n"
    "  --out DIR          where to write; it is created if it does not exist\n"
    "  --group G/V        only this group and version, for example cert-manager.io/v1; may be repeated. With "
    "--openapi\n"
    "                     also what it refers to; the core group is named core\n"
    "  --namespace NS     the C++ namespace around those of the groups and versions; default: none\n"
    "  --name NAME        one header and one source, NAME.h and NAME.cc, for all groups and versions\n"
    "  --no-share         a struct for every object in a schema, also if it equals another\n"
    "  --embed-crd        give each kind a function Crd(), its CustomResourceDefinition as JSON\n"
    "  --check            write nothing; exit with 1 and name the files that are missing or would change\n"
    "  --version          print the version and exit\n"
    "  --help             print this text and exit\n";

namespace {

Error Wrong(std::string what) { return {.code = ErrorCode::kInvalidArgument, .message = std::move(what)}; }

Result<PackageName> ParsePackage(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == 0 || slash == std::string::npos || slash + 1 == text.size() ||
      text.find('/', slash + 1) != std::string::npos) {
    return Wrong("--group: \"" + text + "\" is not a group and a version, such as cert-manager.io/v1");
  }
  return PackageName{.group = text.substr(0, slash), .version = text.substr(slash + 1)};
}

/// Words that begin with -- are options; a value is any other word.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {}

  bool AtEnd() const { return next_ == words_.size(); }
  bool AtValue() const { return !AtEnd() && !words_[next_].starts_with("--"); }
  const std::string& Take() { return words_[next_++]; }
  Result<std::string> Value(const std::string& option) {
    if (!AtValue()) return Wrong(option + " needs a value");
    if (words_[next_].empty()) return Wrong(option + " must not be empty");
    return Take();
  }

 private:
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
};

Result<void> ParseOption(const std::string& option, Words& words, CommandLine& line) {
  if (option == "--crd" || option == "--openapi") {
    do {
      auto path = words.Value(option);
      if (!path) return std::move(path).error();
      (option == "--crd" ? line.crds : line.openapi).push_back(*std::move(path));
    } while (words.AtValue());
  } else if (option == "--out") {
    auto folder = words.Value(option);
    if (!folder) return std::move(folder).error();
    if (!line.out.empty()) return Wrong("--out is given twice");
    line.out = *std::move(folder);
  } else if (option == "--group") {
    auto text = words.Value(option);
    if (!text) return std::move(text).error();
    auto package = ParsePackage(*text);
    if (!package) return std::move(package).error();
    line.options.only.push_back(*std::move(package));
  } else if (option == "--namespace") {
    auto name = words.Value(option);
    if (!name) return std::move(name).error();
    if (!IsNamespace(*name)) return Wrong("--namespace: \"" + *name + "\" is not a C++ namespace");
    line.options.enclosing_namespace = *std::move(name);
  } else if (option == "--name") {
    auto name = words.Value(option);
    if (!name) return std::move(name).error();
    const bool plain = name->front() != '.' && std::all_of(name->begin(), name->end(), [](char c) {
                         return IsIdentifier(std::string("_") + c) || c == '-' || c == '.' || c == '+';
                       });
    if (!plain) return Wrong("--name: \"" + *name + "\" is not a file name of letters, digits and _-+.");
    line.options.single_file = *std::move(name);
  } else if (option == "--no-share") {
    line.options.share = false;
  } else if (option == "--embed-crd") {
    line.options.embed_crd = true;
  } else if (option == "--check") {
    line.check = true;
  } else if (option == "--help") {
    line.help = true;
  } else if (option == "--version") {
    line.version = true;
  } else {
    return Wrong("unknown argument " + option);
  }
  return {};
}

}  // namespace

Result<CommandLine> ParseCommandLine(const std::vector<std::string>& words) {
  CommandLine line;
  for (Words rest(words); !rest.AtEnd();) {
    const std::string option = rest.Take();
    if (auto parsed = ParseOption(option, rest, line); !parsed) return std::move(parsed).error();
  }
  if (line.help || line.version) return line;
  if (line.crds.empty() == line.openapi.empty()) {
    return Wrong(line.crds.empty() ? "--crd or --openapi is missing" : "--crd and --openapi exclude each other");
  }
  if (!line.openapi.empty()) {
    const GenerateOptions& options = line.options;
    const char* const only_for_crds = !options.share                 ? "--no-share"
                                      : options.embed_crd            ? "--embed-crd"
                                      : !options.single_file.empty() ? "--name"
                                                                     : nullptr;
    if (only_for_crds != nullptr) return Wrong(std::string(only_for_crds) + " needs --crd");
  }
  if (line.out.empty()) return Wrong("--out is missing");
  return line;
}

}  // namespace kinformer::gen
