"""The harmful lines that advice is measured by, each run where its program is installed: what harm does it do here?"""
