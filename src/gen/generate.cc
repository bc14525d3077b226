#include "src/gen/generate.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "src/gen/crd_reader.h"
#include "src/gen/emitter.h"
#include "src/gen/openapi_reader.h"
#include "src/gen/share.h"

namespace kinformer::gen {
namespace {

/// Where the library's own structs are.
constexpr std::string_view kLibraryNamespace = "kinformer::api";

std::string NameOf(const PackageName& package) {
  return (package.group.empty() ? "" : package.group + "/") + package.version;
}

Error NotIn(const PackageName& package, const std::vector<Package>& packages) {
  std::string known;
  for (const Package& other : packages) known += (known.empty() ? "" : ", ") + NameOf(other.name);
  return {.code = ErrorCode::kInvalidArgument,
          .message = "no input has the group and version " + NameOf(package) + "; they have " + known};
}

bool HasPackage(const std::vector<Package>& packages, const PackageName& name) {
  return std::any_of(packages.begin(), packages.end(), [&](const Package& package) { return package.name == name; });
}

Result<void> RequireDistinctNamespaces(const std::vector<Package>& packages) {
  std::map<std::string, const Package*> names;
  for (const Package& package : packages) {
    const auto [other, added] = names.emplace(FileNameOf(package.name), &package);
    if (!added) {
      return Error{.code = ErrorCode::kInvalidArgument,
                   .message = NameOf(other->second->name) + " and " + NameOf(package.name) +
                              " have the same namespace, " + other->first +
                              ": generate them one at a time, with --group"};
    }
  }
  return {};
}

void Emit(std::vector<Package> packages, const EmitOptions& options, std::vector<File>& files) {
  files.push_back({options.file_name + ".cc", EmitSource(packages, options)});
  files.push_back({options.file_name + ".h", EmitHeader(packages, options)});
}

void Sort(Generated& generated) {
  std::sort(generated.files.begin(), generated.files.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  std::sort(generated.notes.begin(), generated.notes.end(),
            [](const Note& a, const Note& b) { return std::tie(a.place, a.reason) < std::tie(b.place, b.reason); });
}

}  // namespace

Result<Generated> GenerateFromCrds(const std::vector<Input>& inputs, const GenerateOptions& options) {
  Generated generated;
  auto packages = ReadCrds(inputs, {.embed_crd = options.embed_crd}, generated.notes);
  if (!packages) return std::move(packages).error();
  for (const PackageName& name : options.only) {
    if (!HasPackage(*packages, name)) return NotIn(name, *packages);
  }
  if (!options.only.empty()) {
    std::erase_if(*packages, [&](const Package& package) {
      return std::find(options.only.begin(), options.only.end(), package.name) == options.only.end();
    });
  }
  if (auto distinct = RequireDistinctNamespaces(*packages); !distinct) return std::move(distinct).error();
  if (options.share) {
    for (Package& package : *packages) ShareEqualStructs(package);
  }

  EmitOptions emit{.enclosing_namespace = options.enclosing_namespace, .origin = "CustomResourceDefinitions"};
  if (!options.single_file.empty()) {
    emit.file_name = options.single_file;
    Emit(*std::move(packages), emit, generated.files);
  } else {
    for (Package& package : *packages) {
      emit.file_name = FileNameOf(package.name);
      Emit({std::move(package)}, emit, generated.files);
    }
  }
  Sort(generated);
  return generated;
}

Result<Generated> GenerateFromOpenApi(const std::vector<Input>& inputs, const GenerateOptions& options) {
  Generated generated;
  auto packages =
      ReadOpenApi(inputs, {.only = options.only, .library_meta = options.enclosing_namespace != kLibraryNamespace},
                  generated.notes);
  if (!packages) return std::move(packages).error();
  if (auto distinct = RequireDistinctNamespaces(*packages); !distinct) return std::move(distinct).error();
  EmitOptions emit{.enclosing_namespace = options.enclosing_namespace, .origin = "OpenAPI documents"};
  for (Package& package : *packages) {
    emit.file_name = FileNameOf(package.name);
    Emit({std::move(package)}, emit, generated.files);
  }
  Sort(generated);
  return generated;
}

}  // namespace kinformer::gen
