// What an import of a .wasm file is in workerd.
declare module "*.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
